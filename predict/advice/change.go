package advice

import (
	"fmt"
	"math"

	"getio/predict/twin"
	"getio/record"
)

// changes computes the effect of other filters and block sizes, with the focus cache. It is known
// for Pebble.
func (q *Question) changes(best *twin.Steady, focus *record.AdvisedCache) ([]*record.Change, error) {
	if !q.Tree.Library().Sharded() {
		return nil, nil
	}
	room := focus.Cache.Bytes - q.Reserved
	now := best.IOsPerGet(room)
	absent := twin.NewSteady(q.Tree, 1).IOsPerGet(room)
	change := func(what, of string, now float64, then *twin.Steady) *record.Change {
		return &record.Change{What: what, CacheBytes: focus.Cache.Bytes, Keys: of, Now: now, Then: then.IOsPerGet(room)}
	}
	filtered, err := q.Tree.Other(q.Layout.FilterLastLevel(q.Shape), q.Layout.DataBlockBytes, true)
	if err != nil {
		return nil, err
	}
	larger := q.Layout
	larger.BlockBytes *= 4
	blocks, err := q.Tree.Other(q.Layout.Reformat(q.Shape, &larger), larger.DataBlockBytes, false)
	if err != nil {
		return nil, err
	}
	const filter = "last_level_filter=on"
	changes := []*record.Change{
		change(filter, record.KeysExisting, now, twin.NewSteady(filtered, 0)),
		change(filter, record.KeysAbsent, absent, twin.NewSteady(filtered, 1)),
		change(fmt.Sprintf("block_size=%dKiB", larger.BlockBytes>>10), record.KeysExisting, now, twin.NewSteady(blocks, 0)),
	}
	if simulated := focus.IOsPerGet.Predicted; simulated > 0 {
		off := math.Abs(now/simulated - 1)
		changes[0].Error, changes[2].Error = &off, &off
	}
	return changes, nil
}
