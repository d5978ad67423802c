// Package judge decides what records show: whether a run is steady, whether the sides of a comparison differ, and
// whether reads rose by more than allowed against a baseline, which fails a build.
//
// The sides of a comparison are pairs of runs of the same Gets. Those of a gate are independent runs, made at different
// times and perhaps on different machines: reads per Get do not depend on the machine, so they can be compared where
// times cannot. The interval of a rise is Student's t over the windows of both runs (numbers/interval).
//
// A gate looks at several figures of several settings. A rise of one of n figures takes a confidence of 1 - 5%/n
// (Bonferroni), so that the rises of a gate are true together with 95% confidence, whatever their dependence. The
// answer "nothing rose" needs no correction, because each figure that matters must show it with 95% confidence.
package judge
