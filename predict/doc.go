// Package predict stands for figures that nobody has measured: caches, filters and read paths that are simulated, and the
// advice that follows.
package predict
