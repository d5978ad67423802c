package record

import "getio/numbers/interval"

// Categories counts what a chaindata directory holds.
type Categories struct {
	Schema string `json:"schema"`
	Path   string `json:"path"` // directory
	Engine Engine `json:"engine"`
	// Scheme of the state's trie nodes: "path", "hash", "both" or "none".
	Scheme string `json:"scheme"`
	// Exact means that every key was counted. Otherwise all figures are estimates from the sample.
	Exact      bool                     `json:"exact"`
	Sample     *CategorySample          `json:"sample,omitempty"`
	Categories map[string]CategoryTally `json:"categories"` // newest records that are not deleted, those of the log included; without categories that the sample does not have
	Total      CategoryTally            `json:"total"`
	// WAL is included in the categories.
	WAL     WAL            `json:"wal"`
	Freezer []FreezerTable `json:"freezer,omitempty"`
}

// CategorySample is the random sample of key ranges that an estimate comes from.
type CategorySample struct {
	Ranges int64  `json:"ranges"` // of keys, in the sample
	Of     int64  `json:"of"`     // all ranges
	Seed   uint64 `json:"seed"`   // of the sample
}

// CategoryTally counts the keys and bytes of a category.
type CategoryTally struct {
	// Keys, and the bytes of keys and values.
	Keys       int64 `json:"keys"`
	KeyBytes   int64 `json:"key_bytes"`
	ValueBytes int64 `json:"value_bytes"`
	// KeysError is the standard error of an estimate, including how many ranges fall into a category.
	KeysError *float64 `json:"keys_error,omitempty"`
	// KeysFreedom is its degrees of freedom, for Student's t.
	KeysFreedom *float64 `json:"keys_freedom,omitempty"`
	// BytesError is that of keys and values together.
	BytesError   *float64 `json:"bytes_error,omitempty"`
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
	Freezer string `json:"freezer,omitempty"` // "chain" or "state"
	Name    string `json:"name"`              // of the table
	Items   int64  `json:"items"`             // ever written
	Removed int64  `json:"removed"`           // of them, from the first on
	Bytes   int64  `json:"bytes"`             // of its files, index included
}
