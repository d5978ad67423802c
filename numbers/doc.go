// Package numbers stands for what is known of numbers alone: units, estimates and their intervals, steadiness, random
// numbers, and published figures.
package numbers
