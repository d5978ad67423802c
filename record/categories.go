package record

import "getio/numbers/interval"

// Categories counts what a chaindata directory holds.
type Categories struct {
	Schema string `json:"schema"`
	Path   string `json:"path"`
	Engine Engine `json:"engine"`
	// Scheme is how the trie nodes of the state are stored: path, hash, both or none.
	Scheme string `json:"scheme"`
	// Exact: every key was counted. Otherwise all figures are estimates from Sample.
	Exact      bool                     `json:"exact"`
	Sample     *CategorySample          `json:"sample,omitempty"`
	Categories map[string]CategoryTally `json:"categories"`
	Total      CategoryTally            `json:"total"`
	// WAL is what only the write-ahead log holds; the categories include it.
	WAL     WAL            `json:"wal"`
	Freezer []FreezerTable `json:"freezer,omitempty"`
}

// CategorySample is the random sample of key ranges that an estimate comes from.
type CategorySample struct {
	Ranges int64  `json:"ranges"`
	Of     int64  `json:"of"`
	Seed   uint64 `json:"seed"`
}

// CategoryTally counts the keys and bytes of a category.
type CategoryTally struct {
	Keys       int64 `json:"keys"`
	KeyBytes   int64 `json:"key_bytes"`
	ValueBytes int64 `json:"value_bytes"`
	// Standard errors of an estimate, and their degrees of freedom; absent from exact figures.
	KeysError    *float64 `json:"keys_error,omitempty"`
	KeysFreedom  *float64 `json:"keys_freedom,omitempty"`
	BytesError   *float64 `json:"bytes_error,omitempty"` // of keys and values together
	BytesFreedom *float64 `json:"bytes_freedom,omitempty"`
}

// KeysHalfWidth returns half of the width of the 95% interval of Keys; nil if they were counted.
func (t *CategoryTally) KeysHalfWidth() *float64 { return halfWidth(t.KeysError, t.KeysFreedom) }

// BytesHalfWidth returns half of the width of the 95% interval of the bytes of keys and values.
func (t *CategoryTally) BytesHalfWidth() *float64 { return halfWidth(t.BytesError, t.BytesFreedom) }

// nearlyNormal is a number of degrees of freedom with which Student's t is the normal distribution, to five digits.
const nearlyNormal = 1e6

// halfWidth uses the normal distribution if the degrees of freedom are absent, as in older records.
func halfWidth(standardError, freedom *float64) *float64 {
	if standardError == nil {
		return nil
	}
	e := interval.Estimate{Error: *standardError, Freedom: nearlyNormal}
	if freedom != nil {
		e.Freedom = *freedom
	}
	return new(e.HalfWidth(interval.Usual))
}

// FreezerTable is one table of geth's freezer.
type FreezerTable struct {
	Freezer string `json:"freezer,omitempty"` // chain | state
	Name    string `json:"name"`
	Items   int64  `json:"items"`   // ever written
	Removed int64  `json:"removed"` // of them, from the first on
	Bytes   int64  `json:"bytes"`   // of its files
}
