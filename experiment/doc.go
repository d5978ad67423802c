// Package experiment stands for several runs with one question, with the datasets that they need and the journal from which
// they resume.
package experiment
