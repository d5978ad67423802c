package gethstate

import (
	"bytes"
	"slices"

	"github.com/ethereum/go-ethereum/ethdb"
)

// writeInOrder writes a batch to its store in the order of its keys. The path scheme fills a batch in the
// random order of Go's maps, and Pebble numbers changes in the order of the batch. The numbers are part of
// tables and change their size after compression, and with it where tables end, what compactions choose,
// and what a lookup reads: with 5M accounts by up to 6%. The hash scheme writes nodes in the order of the
// trie.
func writeInOrder(batch ethdb.Batch, store ethdb.Batcher) error {
	var found changes
	if err := batch.Replay(&found); err != nil {
		return err
	}
	if found.ranges {
		return batch.Write() // a removed range may hold keys that the batch writes before or after
	}
	slices.SortStableFunc(found.list, func(a, b change) int { return bytes.Compare(a.key, b.key) })
	sorted := store.NewBatchWithSize(batch.ValueSize() * 11 / 10) // Pebble adds a few bytes to each change
	defer sorted.Close()
	for _, c := range found.list {
		if err := c.addTo(sorted); err != nil {
			return err
		}
	}
	return sorted.Write()
}

// changes is what a batch changes, in the batch's memory.
type changes struct {
	list   []change
	ranges bool // it also removes ranges of keys
}

type change struct {
	key, value []byte
	removed    bool
}

func (c *changes) Put(key, value []byte) error {
	c.list = append(c.list, change{key: key, value: value})
	return nil
}

func (c *changes) Delete(key []byte) error {
	c.list = append(c.list, change{key: key, removed: true})
	return nil
}

func (c *changes) DeleteRange(start, end []byte) error {
	c.ranges = true
	return nil
}

func (c change) addTo(w ethdb.KeyValueWriter) error {
	if c.removed {
		return w.Delete(c.key)
	}
	return w.Put(c.key, c.value)
}
