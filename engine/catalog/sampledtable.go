package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"getio/engine"
)

// Index knows where the data blocks of a table are. It is safe for concurrent use.
type Index interface {
	// Len is the number of data blocks that the index names.
	Len() uint64
	// Parts returns, for each index block, how many data blocks it and those before it name.
	Parts() []uint64
	// Read calls use with the records of data block n < Len.
	Read(f File, n uint64, use func(Records) error) error
	// Measure says what data block n holds.
	Measure(f File, n uint64) (engine.DataBlock, error)
	// Find calls found with the place of each key that the table has a record of. Keys are in order. The
	// index keeps its entries.
	Find(f File, keys [][]byte, found func(i int)) error
	// Start returns a key at which data block n > 0 begins: none of its records is before
	// it, and none of the block before is at it or behind it.
	Start(f File, n uint64) ([]byte, error)
}

// Records calls each with the user keys of a data block's records in their order until it
// returns false. A key is valid only until each returns.
type Records func(each func(key []byte, does Record) (more bool)) error

// Record is what a record does.
type Record int

const (
	// emptySlot is where a block has no record.
	emptySlot Record = iota
	// Deletes is a record that deletes its key.
	Deletes
	// DeletesRange is a record that deletes all keys of a range. It is in no data block.
	DeletesRange
	// Sets is a record that sets its key.
	Sets
	// Merges is a record that adds to its key's value.
	Merges
	// Outside is a record outside the bounds of a virtual table.
	Outside
	// older is a record that follows a newer one of its key in the same table.
	older
)

// sampledTable is a table from which keys are drawn.
type sampledTable struct {
	Table
	remember bool // keep the file open and the index in memory
	once     sync.Once
	err      error
	index    Index
	probe    sync.Once
	slots    uint64 // records of its fullest blocks, as far as probed
	unprobed error  // why they could not be

	// Only if remember is set:
	file   File
	counts []atomic.Uint32 // per data block, its records plus one; 0 if it was not read yet
}

// openTable is a sampled table with its file open.
type openTable struct {
	*sampledTable
	file File
}

// open opens the table, and prepares it when it is first opened.
func (t *sampledTable) open() (*openTable, error) {
	if t.once.Do(func() { t.err = t.prepare() }); t.err != nil {
		return nil, t.err
	}
	if t.file != nil {
		return &openTable{t, t.file}, nil
	}
	f, err := t.Open()
	if err != nil {
		return nil, err
	}
	return &openTable{t, f}, nil
}

// prepare reads the table's index.
func (t *sampledTable) prepare() error {
	f, err := t.Open()
	if err != nil {
		return err
	}
	if err := t.prepareIn(f); err != nil || !t.remember {
		f.Close()
		return err
	}
	t.file = f
	return nil
}

func (t *sampledTable) prepareIn(f File) (err error) {
	if t.index, err = t.ReadIndex(f, t.remember); err != nil {
		return err
	}
	blocks := t.index.Len()
	if blocks == 0 {
		return errors.New("its index lists no data blocks")
	}
	if t.remember {
		t.counts = make([]atomic.Uint32, blocks)
	}
	return nil
}

// fullest returns how many records the fullest of some data blocks has.
func (o *openTable) fullest() (records uint64, err error) {
	o.probe.Do(func() {
		blocks := o.index.Len()
		probes := min(blocks, probesOfTable)
		for p := range probes {
			records, err := o.count(p * blocks / probes)
			if err != nil {
				o.unprobed = err
				return
			}
			o.slots = max(o.slots, records)
		}
	})
	return o.slots, o.unprobed
}

// count counts the records of data block n.
func (o *openTable) count(n uint64) (records uint64, err error) {
	err = o.read(n, func(all Records) error {
		records, err = o.countIn(n, all)
		return err
	})
	return records, err
}

func (o *openTable) read(n uint64, use func(Records) error) error {
	if n >= o.index.Len() {
		return fmt.Errorf("it has %d data blocks, but had %d when it was inspected: the database was changed meanwhile", o.index.Len(), o.DataBlocks())
	}
	return o.index.Read(o.file, n, func(all Records) error {
		if err := use(all); err != nil {
			return fmt.Errorf("its data block %d: %w", n, err)
		}
		return nil
	})
}

// countIn counts the records of data block n, unless they were counted before.
func (o *openTable) countIn(n uint64, all Records) (records uint64, err error) {
	if records, known := o.counted(n); known {
		return records, nil
	}
	err = all(func([]byte, Record) bool { records++; return true })
	if err == nil && o.counts != nil {
		o.counts[n].Store(uint32(records) + 1)
	}
	return records, err
}

func (t *sampledTable) counted(n uint64) (records uint64, known bool) {
	if n >= uint64(len(t.counts)) {
		return 0, false
	}
	c := t.counts[n].Load()
	return uint64(c) - 1, c > 0
}

// draw draws one of the slots of data block n by the random number r, or of its records if
// it has more. It returns the key of the record if that is the newest one of the key in the table and sets it.
func (o *openTable) draw(n, r, slots uint64) (key []byte, found Record, err error) {
	if records, known := o.counted(n); known && below(r, max(slots, records)) >= records {
		return nil, emptySlot, nil
	}
	var slot uint64
	err = o.read(n, func(all Records) error {
		records, err := o.countIn(n, all)
		if err != nil {
			return err
		}
		if slot = below(r, max(slots, records)); slot >= records {
			return nil
		}
		at := uint64(0)
		var before []byte
		return all(func(k []byte, does Record) bool {
			switch at++; at {
			case slot:
				before = bytes.Clone(k)
			case slot + 1:
				if key, found = bytes.Clone(k), does; does == Merges {
					found = Sets
				}
				if slot > 0 && bytes.Equal(k, before) {
					found = older
				}
			}
			return at <= slot
		})
	})
	if err != nil || found != Sets || slot > 0 || n == 0 {
		return key, found, err
	}
	err = o.read(n-1, func(all Records) error {
		return all(func(k []byte, _ Record) bool {
			if bytes.Equal(k, key) {
				found = older
			}
			return found == Sets
		})
	})
	return key, found, err
}
