package chaindata

import "getio/engine"

// Below is where geth, its forks bsc and op-geth, and 'getio chain build' keep the database in their directories.
var Below = []string{"chaindata", "geth/chaindata"}

// AncientDir is geth's default freezer directory, below the key-value store.
const AncientDir = "ancient"

// headHeader exists in every chaindata directory.
const headHeader = "LastHeader"

// Recognise reports whether geth, or a fork of it, wrote an open database.
func Recognise(db engine.DB) (bool, error) {
	_, found, err := db.Get([]byte(headHeader), nil)
	return found, err
}
