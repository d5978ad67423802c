package keysource

import (
	"context"
	"errors"
	"iter"

	"getio/engine"
)

// Chosen is a sequence of Gets whose keys are chosen for the blocks that they ask for, to warm up a
// cache. Any outcome of them is accepted, since a newer record may delete a key that a table sets.
type Chosen struct {
	next  func() (key []byte, err error, more bool)
	stop  func()
	first int64 // number of the first Get taken
	keys  [][]byte
}

// DataBlocks returns Gets of neighbouring data blocks in key order, one of each. They fill a cache and
// ask for few other blocks.
func DataBlocks(s engine.Sampler) *Chosen {
	return newChosen(s.BlockStarts)
}

// IndexBlocks returns Gets that ask for every index block, as many in a row as gets says, of different
// data blocks. Index blocks number first and later come first, those before it last.
func IndexBlocks(ctx context.Context, s engine.Sampler, first int64, gets int) *Chosen {
	return newChosen(func(each func([]byte) error) error {
		left := first
		visit := func(keys [][]byte) error {
			for _, key := range keys {
				if err := each(key); err != nil {
					return err
				}
			}
			return nil
		}
		if err := s.IndexKeys(ctx, first, gets, visit); err != nil || first == 0 {
			return err
		}
		return s.IndexKeys(ctx, 0, gets, func(keys [][]byte) error {
			if left == 0 {
				return errStopped
			}
			left--
			return visit(keys)
		})
	})
}

var errStopped = errors.New("no more keys are wanted")

func newChosen(keys func(each func(key []byte) error) error) *Chosen {
	c := &Chosen{}
	c.next, c.stop = iter.Pull2(func(yield func([]byte, error) bool) {
		err := keys(func(key []byte) error {
			if !yield(key, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && err != errStopped {
			yield(nil, err)
		}
	})
	return c
}

// Take takes the next n Gets, or those that are left, and returns their number. They continue the
// numbers of those taken before, from 0.
func (c *Chosen) Take(n int64) (int64, error) {
	c.first += int64(len(c.keys))
	c.keys = c.keys[:0]
	for int64(len(c.keys)) < n {
		key, err, more := c.next()
		if err != nil {
			return 0, err
		}
		if !more {
			break
		}
		c.keys = append(c.keys, key)
	}
	return int64(len(c.keys)), nil
}

// Prepare implements Sequence. Gets are prepared by Take.
func (*Chosen) Prepare(context.Context, int64, int64) error { return nil }

// Key implements Sequence.
func (c *Chosen) Key(g int64, _ []byte) ([]byte, Want) { return c.keys[g-c.first], Want{Unknown: true} }

// Check implements Sequence.
func (*Chosen) Check(int64, Want, []byte, bool, []byte) error { return nil }

// Close implements Sequence.
func (c *Chosen) Close() error {
	c.stop()
	return nil
}
