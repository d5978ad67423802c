package rocksfile

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"sync"

	"getio/engine/region"
	"getio/engine/sampling"
	"getio/tree/blockformat"
)

// sampledTable is what drawing from one table needs.
type sampledTable struct {
	*table
	remember bool
	once     sync.Once
	err      error

	upTo      []uint64    // upTo[i] data blocks are named by indexes[0..i]
	slots     uint64      // records of its fullest blocks, as far as probed
	unpacking *dictionary // of its data blocks

	// Only if the sampler remembers:
	file   *os.File
	blocks []indexed
}

// openedTable is a sampled table with its file open.
type openedTable struct {
	*sampledTable
	file *os.File
}

func (t *sampledTable) open() (*openedTable, error) {
	f := t.file
	if f == nil {
		var err error
		if f, err = openTable(t.ref); err != nil {
			return nil, err
		}
	}
	return &openedTable{t, f}, nil
}

func (o *openedTable) release() {
	if o.file != o.sampledTable.file {
		o.file.Close()
	}
}

// prepare reads the table's index blocks and probes how full its data blocks are.
func (t *sampledTable) prepare() error {
	o, err := t.open()
	if err != nil {
		return err
	}
	defer o.release()
	t.unpacking = none
	if t.dictionary != (region.Extent{}) {
		content, err := t.footer.readBlock(o.file, t.dictionary, none)
		if err != nil {
			return err
		}
		t.unpacking = newDictionary(content)
	}
	var sum uint64
	for _, e := range t.indexes {
		list, err := t.readIndex(o.file, e)
		if err != nil {
			return err
		}
		sum += uint64(len(list))
		t.upTo = append(t.upTo, sum)
		if t.remember {
			t.blocks = append(t.blocks, list...)
		}
	}
	if sum == 0 {
		return errors.New("its index names no data block")
	}
	if t.remember {
		t.file = o.file
	}
	return o.probe()
}

func (o *openedTable) dataBlocks() uint64 { return o.upTo[len(o.upTo)-1] }

func (o *openedTable) probe() error {
	probes := min(o.dataBlocks(), fullnessProbes)
	for p := range probes {
		records, err := o.records(p * o.dataBlocks() / probes)
		if err != nil {
			return err
		}
		o.slots = max(o.slots, uint64(len(records)))
	}
	return nil
}

// draw draws one record, and appends its key to dst. sets is false if the record
// deletes the key.
func (o *openedTable) draw(rand func() uint64, dst []byte) (key []byte, sets bool, err error) {
	for range maxTableRejections {
		records, err := o.records(sampling.Below(rand(), o.dataBlocks()))
		if err != nil {
			return nil, false, err
		}
		if slot := sampling.Below(rand(), max(o.slots, uint64(len(records)))); slot < uint64(len(records)) {
			return append(dst[:0], records[slot].key...), records[slot].sets, nil
		}
	}
	return nil, false, nil
}

// block finds the table's n-th data block.
func (o *openedTable) block(n uint64) (indexed, error) {
	if n >= o.dataBlocks() {
		return indexed{}, fmt.Errorf("its index names %d data blocks, and its properties tell of %d", o.dataBlocks(), o.props.dataBlocks)
	}
	if o.blocks != nil {
		return o.blocks[n], nil
	}
	i := sort.Search(len(o.upTo), func(i int) bool { return o.upTo[i] > n })
	list, err := o.readIndex(o.file, o.indexes[i])
	if err != nil {
		return indexed{}, err
	}
	at := int(n) - int(o.upTo[i]) + len(list)
	if at < 0 || at >= len(list) {
		return indexed{}, fmt.Errorf("its index block at byte %d has changed", o.indexes[i].Off)
	}
	return list[at], nil
}

// keyed is the key of a record, and whether the record sets it.
type keyed struct {
	key  []byte
	sets bool
}

// records lists the records of the table's data block n.
func (o *openedTable) records(n uint64) (list []keyed, err error) {
	b, err := o.block(n)
	if err != nil {
		return nil, err
	}
	block, err := o.footer.readBlock(o.file, b.extent, o.unpacking)
	if err != nil {
		return nil, err
	}
	var wrong error
	err = blockformat.EachEntry(block, func(internal, _ []byte) bool {
		key, sets, err := userKey(internal)
		list, wrong = append(list, keyed{append([]byte(nil), key...), sets}), err
		return err == nil
	})
	if err = errors.Join(err, wrong); err != nil {
		return nil, fmt.Errorf("its data block %d %w", n, err)
	}
	return list, nil
}
