package catalog

import (
	"bytes"
	"context"
	"slices"
)

// IndexKeys implements engine.Sampler. Tables are taken in key order, and their index blocks too, so
// that each file is opened once.
func (s *Sampler) IndexKeys(ctx context.Context, skip int64, most int, each func(keys [][]byte) error) error {
	order := slices.Clone(s.tables)
	slices.SortStableFunc(order, func(a, b *sampledTable) int { return bytes.Compare(a.tail().Ref.Smallest, b.tail().Ref.Smallest) })
	for _, t := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		blocks, skipped, err := indexKeys(t.Table, skip, uint64(most))
		if err != nil {
			return t.tail().unsampled(err)
		}
		skip -= skipped
		for _, keys := range blocks {
			if err := each(keys); err != nil {
				return err
			}
		}
	}
	return nil
}

// indexKeys returns up to most keys for each index block of a table after the first skip ones, and the number
// of index blocks that it skipped.
func indexKeys(t Table, skip int64, most uint64) (blocks [][][]byte, skipped int64, err error) {
	if t.DataBlocks() == 0 {
		return nil, 0, nil
	}
	err = inIndex(t, func(f File, index *Index) error {
		from := uint64(0)
		for _, to := range index.upTo {
			if skipped < skip {
				skipped++
			} else {
				keys, err := keysBehind(index, f, from, to, most)
				if err != nil {
					return err
				}
				blocks = append(blocks, keys)
			}
			from = to
		}
		return nil
	})
	return blocks, skipped, err
}

// keysBehind returns one key from each of up to most data blocks, evenly spaced in [from, to). Data blocks that
// hold only deletions contribute none.
func keysBehind(index *Index, f File, from, to, most uint64) (keys [][]byte, err error) {
	n := min(to-from, most)
	for i := range n {
		key, err := firstSet(index, f, from+(2*i+1)*(to-from)/(2*n))
		if err != nil {
			return nil, err
		}
		if key != nil {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// firstSet returns the first key of data block n that a record sets, nil if there is none.
func firstSet(index *Index, f File, n uint64) (key []byte, err error) {
	d, err := index.Read(f, n)
	if err != nil {
		return nil, err
	}
	for r, err := range d.Records {
		if err != nil {
			return nil, err
		}
		if r.Does == Sets || r.Does == Merges {
			return bytes.Clone(r.Key), nil
		}
	}
	return nil, nil
}
