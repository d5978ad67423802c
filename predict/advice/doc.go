// Package advice answers what an operator asks of a database: what the cache that
// it has gives, which cache to take, what other filters and blocks would change,
// and what is wasted.
//
// Every figure is predicted (package twin) for Gets of existing keys, all equally
// popular, when they have come to rest. Where there is a database, some of its own
// Gets are replayed and held against the prediction of the same Gets: that is the
// error that is told.
package advice
