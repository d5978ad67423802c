package main

import (
	"fmt"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/util"
)

// scriptLevelDB makes a LevelDB database. Its keys are in the log alone, as in
// one that was never flushed, or in tables.
func scriptLevelDB(ts *testscript.TestScript, _ bool, args []string) {
	db, err := leveldb.OpenFile(ts.MkAbs(args[0]), nil)
	ts.Check(err)
	for i := range 1000 {
		ts.Check(db.Put(fmt.Appendf(nil, "key %d", i), []byte("value"), nil))
	}
	if args[1] == "tables" {
		ts.Check(db.CompactRange(util.Range{}))
	}
	ts.Check(db.Close())
}
