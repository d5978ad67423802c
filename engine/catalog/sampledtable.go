package catalog

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// sampledTable is a table from which keys are drawn.
type sampledTable struct {
	Table
	remember bool // keep the file open and the index in memory
	once     sync.Once
	err      error
	index    *Index
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
	d, err := o.read(n)
	if err != nil {
		return 0, err
	}
	return o.countIn(n, d)
}

func (o *openTable) read(n uint64) (Data, error) {
	if n >= o.index.Len() {
		return Data{}, fmt.Errorf("it has %d data blocks, but had %d when it was inspected: the database was changed meanwhile", o.index.Len(), o.DataBlocks())
	}
	return o.index.Read(o.file, n)
}

// countIn counts the records of data block n, unless they were counted before.
func (o *openTable) countIn(n uint64, d Data) (records uint64, err error) {
	if records, known := o.counted(n); known {
		return records, nil
	}
	for _, err := range d.Records {
		if err != nil {
			return 0, err
		}
		records++
	}
	if o.counts != nil {
		o.counts[n].Store(uint32(records) + 1)
	}
	return records, nil
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
func (o *openTable) draw(n, r, slots uint64) (key []byte, found Does, err error) {
	if records, known := o.counted(n); known && below(r, max(slots, records)) >= records {
		return nil, emptySlot, nil
	}
	d, err := o.read(n)
	if err != nil {
		return nil, emptySlot, err
	}
	records, err := o.countIn(n, d)
	if err != nil {
		return nil, emptySlot, err
	}
	slot := below(r, max(slots, records))
	if slot >= records {
		return nil, emptySlot, nil
	}
	if key, found, err = d.at(slot); err != nil || found != Sets || slot > 0 || n == 0 {
		return key, found, err
	}
	if d, err = o.read(n - 1); err != nil {
		return key, found, err
	}
	for r, err := range d.Records {
		if err != nil {
			return key, found, err
		}
		if bytes.Equal(r.Key, key) {
			return key, older, nil
		}
	}
	return key, found, nil
}

// at returns the key of a record, and what the record does. One that adds to a value sets it.
func (d Data) at(slot uint64) (key []byte, does Does, err error) {
	var before []byte
	at := uint64(0)
	for r, err := range d.Records {
		switch {
		case err != nil:
			return nil, emptySlot, err
		case at == slot && slot > 0 && bytes.Equal(r.Key, before):
			return bytes.Clone(r.Key), older, nil
		case at == slot && r.Does == Merges:
			return bytes.Clone(r.Key), Sets, nil
		case at == slot:
			return bytes.Clone(r.Key), r.Does, nil
		case at+1 == slot:
			before = bytes.Clone(r.Key)
		}
		at++
	}
	return nil, emptySlot, nil
}
