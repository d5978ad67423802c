// Package gate compares measurements with a baseline and decides whether a figure rose by more than allowed,
// which fails a build.
//
// Both sides are independent runs, made at different times and perhaps on different machines. Reads per Get do
// not depend on the machine, so they can be compared where times cannot. The interval of a rise is Student's t over
// the windows of both runs (numbers/interval).
//
// A gate looks at several figures of several settings. A rise of one of n figures takes a confidence of 1 - 5%/n
// (Bonferroni), so that the rises of a gate are true together with 95% confidence, whatever their dependence. The
// answer "nothing rose" needs no correction, because each figure that matters must show it with 95% confidence.
package gate
