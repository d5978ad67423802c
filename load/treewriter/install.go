package treewriter

import (
	"os"

	"getio/engine"
	"getio/engine/lsm"
	"getio/workload/dataset"
)

// lastLevel is the level whose filters are never read by a Get.
const lastLevel = lsm.NumLevels - 1

func (j *Job) install() error {
	tables := make([]engine.BuiltTable, len(j.Tree.Tables))
	for i := range tables {
		fi, err := os.Stat(j.path(i))
		if err != nil {
			return err
		}
		t := j.Tree.Tables[i]
		b := &tables[i]
		b.Level, b.File, b.Size = t.Level, t.File, fi.Size()
		b.Smallest, b.Largest = j.record(i, 0), j.record(i, t.Keys-1)
		b.SmallestSeq, b.LargestSeq = j.seqs(i)
	}
	return j.Engine.Install(j.DB, j.Config, tables)
}

// record returns the key and sequence number of record n of table i.
func (j *Job) record(i int, n uint64) engine.BuiltKey {
	cursor := j.Tree.Cursor(j.Seed, i, n)
	var key [dataset.KeySize]byte
	_, seq := cursor.Next(&key)
	return engine.BuiltKey{Key: key[:], Seq: seq}
}

// seqs returns bounds of the sequence numbers of table i. In L0 they are tight, because they
// decide the order of overlapping tables.
func (j *Job) seqs(i int) (smallest, largest uint64) {
	t := j.Tree.Tables[i]
	if t.Level > 0 {
		return j.Tree.Seqs(i)
	}
	cursor := j.Tree.Cursor(j.Seed, i, 0)
	var key [dataset.KeySize]byte
	_, smallest = cursor.Next(&key)
	largest = smallest
	for range t.Keys - 1 {
		_, seq := cursor.Next(&key)
		smallest, largest = min(smallest, seq), max(largest, seq)
	}
	return smallest, largest
}
