// Package advice answers an operator's questions about a database: what its present cache
// gives, which cache to choose, what other filters and block sizes would change, and what is
// wasted.
//
// Every figure is a prediction (package twin) of the steady state for Gets of equally popular
// existing keys. If there is a database, some of its own Gets are replayed and compared with
// the prediction of the same Gets; the difference is the stated error.
package advice
