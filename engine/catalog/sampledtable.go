package catalog

import (
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
	// Sets is a record that sets its key, or adds to its value.
	Sets
	// Outside is a record outside the bounds of a virtual table.
	Outside
)

// sampledTable is a table from which keys are drawn.
type sampledTable struct {
	Table
	remember bool // keep the file open and the index in memory
	once     sync.Once
	err      error
	index    Index
	slots    uint64 // records of its fullest blocks, as far as probed

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

// prepare reads the table's index, and counts the records of some of its data blocks if the
// table is drawn from by its records.
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
	if _, known := t.Records(); !known {
		return nil
	}
	o := &openTable{t, f}
	probes := min(blocks, probesOfTable)
	for p := range probes {
		records, err := o.count(p * blocks / probes)
		if err != nil {
			return err
		}
		t.slots = max(t.slots, records)
	}
	return nil
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
// it has more, and appends the key of the record to dst if it sets one.
func (o *openTable) draw(n, r, slots uint64, dst []byte) (key []byte, found Record, err error) {
	if records, known := o.counted(n); known && below(r, max(slots, records)) >= records {
		return nil, emptySlot, nil
	}
	err = o.read(n, func(all Records) error {
		records, err := o.countIn(n, all)
		if err != nil {
			return err
		}
		slot := below(r, max(slots, records))
		if slot >= records {
			return nil
		}
		at := uint64(0)
		return all(func(k []byte, does Record) bool {
			if at++; at <= slot {
				return true
			}
			switch does {
			case Sets:
				key, found = append(dst[:0], k...), Sets
			case Deletes:
				found = Deletes
			}
			return false
		})
	})
	return key, found, err
}
