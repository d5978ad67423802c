package advice

import (
	"strings"

	"getio/predict/twin"
	"getio/record"
)

// waste lists what costs reads or space without need.
func (q *Question) waste(best *twin.Steady, focus *record.AdvisedCache) (list []*record.Waste, err error) {
	list = q.plainWaste()
	if tables := q.Shape.Total().Tables; strings.HasPrefix(q.Library, "pebble") && q.OpenFiles > 0 && tables > q.OpenFiles {
		reads := opening * q.Tree.Openings(int(q.OpenFiles))
		list = append(list, &record.Waste{What: record.WasteHandles, Amount: tables - q.OpenFiles, IOsPerGet: &reads})
	}
	if l := q.Shape.Levels[0]; l.Level == 0 && len(q.Shape.Levels) > 1 {
		cost, err := q.level0(best, focus.Cache.Bytes-q.Reserved)
		if err != nil {
			return nil, err
		}
		if cost > 0 {
			list = append(list, &record.Waste{What: record.WasteLevel0, Amount: int64(l.Sublevels), IOsPerGet: &cost})
		}
	}
	return list, nil
}

// plainWaste lists what the shape alone shows.
func (q *Question) plainWaste() (list []*record.Waste) {
	if _, unread := q.Shape.ComponentBytes(); unread > 0 {
		list = append(list, &record.Waste{What: record.WasteFilters, Amount: unread})
	}
	return list
}

// opening is the number of reads by which Pebble opens a table: footer, metaindex and properties.
const opening = 3

// level0 returns the I/Os per Get caused by the tables of L0: what Gets would save without them,
// which is about what compacting them into the levels below would save.
func (q *Question) level0(best *twin.Steady, room int64) (float64, error) {
	rest := q.Shape.WithoutLevel0()
	without, err := q.Tree.Other(rest, q.Layout.DataBlockBytes, false)
	if err != nil {
		return 0, err
	}
	return best.IOsPerGet(room) - twin.NewSteady(without, 0).IOsPerGet(room), nil
}
