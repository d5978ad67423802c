package database

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/record"
	"getio/workload"
	"getio/workload/dataset"
)

// TestMatches: a result describes the database that it was measured on, and no other that lies in its place. What it does
// not state, as results of older versions may not, is not compared.
func TestMatches(t *testing.T) {
	var levels [lsm.NumLevels][]lsm.Table
	levels[0] = []lsm.Table{{File: 7, Bytes: 1000, Records: 10}}
	levels[6] = []lsm.Table{{File: 3, Bytes: 4000, Records: 40}, {File: 4, Bytes: 4000, Records: 40}}
	shape := lsm.NewShape(levels)
	shape.AddBlobs(1, 500)
	dir := t.TempDir()
	measured := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	written := func(name string, at time.Time) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o666))
		require.NoError(t, os.Chtimes(path, at, at))
	}
	written("000003.sst", measured.Add(-time.Hour))
	written("000004.sst", measured.Add(999*time.Millisecond)) // records are precise to the second
	written("000009.sst", measured.Add(time.Hour))            // belongs to no level
	store := tables{at{dir: dir}, shape, 2}
	made := &Database{Dir: "d", Store: store, Manifest: &dataset.Manifest{Keys: 90, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesRandom, Seed: 1}}
	foreign := &Database{Dir: "d", Store: store}
	for name, c := range map[string]struct {
		of     *Database
		change func(*record.Result)
		want   bool
	}{
		"unchanged":         {made, func(*record.Result) {}, true},
		"seed":              {made, func(r *record.Result) { r.Dataset.Seed = 2 }, false},
		"seed 0":            {made, func(r *record.Result) { r.Dataset.Seed = 0 }, false},
		"keys":              {made, func(r *record.Result) { r.Dataset.Keys = 91 }, false},
		"values":            {made, func(r *record.Result) { r.Dataset.Values = dataset.ValuesPool32 }, false},
		"keyspace":          {made, func(r *record.Result) { r.Dataset.Keyspace = dataset.KeyspaceStratified }, false},
		"kind":              {made, func(r *record.Result) { r.Dataset.Kind = "shaped" }, false},
		"directory":         {made, func(r *record.Result) { r.Dataset.Path = "e" }, false},
		"size":              {made, func(r *record.Result) { r.Dataset.Bytes++ }, false},
		"records":           {made, func(r *record.Result) { r.Dataset.Records++ }, false},
		"log":               {made, func(r *record.Result) { r.Dataset.WALKeys = 0 }, false},
		"level":             {made, func(r *record.Result) { r.Shape.Levels[1].Level = 5 }, false},
		"levels":            {made, func(r *record.Result) { r.Shape.Levels = r.Shape.Levels[:1] }, false},
		"tables":            {made, func(r *record.Result) { r.Shape.Levels[1].Tables = 3 }, false},
		"bytes of a level":  {made, func(r *record.Result) { r.Shape.Levels[1].Bytes++ }, false},
		"records in levels": {made, func(r *record.Result) { r.Shape.Levels[1].Records++ }, false},
		"blob files":        {made, func(r *record.Result) { r.Shape.BlobFiles, r.Shape.BlobBytes = 1, 501 }, false},

		"made anew after the run": {made, func(r *record.Result) { r.Time = measured.Add(-24 * time.Hour) }, true},

		"no kind":                 {made, func(r *record.Result) { r.Dataset.Kind = "" }, true},
		"no keys, values or seed": {made, func(r *record.Result) { r.Dataset.Keys, r.Dataset.Values, r.Dataset.Seed = 0, "", 0 }, true},
		"no values":               {made, func(r *record.Result) { r.Dataset.Values = "" }, true},
		"no shape":                {made, func(r *record.Result) { r.Shape = nil }, true},
		"no records in levels":    {made, func(r *record.Result) { r.Shape.Levels[0].Records, r.Shape.Levels[1].Records = 0, 0 }, true},
		"no raw bytes":            {made, func(r *record.Result) { r.Shape.Levels[0].RawBytes = 0 }, true},
		"no blob files":           {made, func(r *record.Result) { r.Shape.BlobFiles, r.Shape.BlobBytes = 0, 0 }, true},

		"foreign":                           {foreign, func(*record.Result) {}, true},
		"foreign, tables after the run":     {foreign, func(r *record.Result) { r.Time = measured.Add(-time.Second) }, false},
		"foreign, no time":                  {foreign, func(r *record.Result) { r.Time = time.Time{} }, true},
		"foreign instead of a dataset":      {foreign, func(r *record.Result) { r.Dataset.Kind, r.Dataset.Keys = "natural", 90 }, false},
		"a dataset instead of foreign":      {made, func(r *record.Result) { r.Dataset.Kind, r.Dataset.Keys, r.Dataset.Seed = "existing", 0, 0 }, false},
		"foreign, another tree":             {foreign, func(r *record.Result) { r.Shape.Levels[0].Tables++ }, false},
		"foreign, files are somewhere else": {&Database{Dir: "d", Store: tables{at{dir: filepath.Join(dir, "none")}, shape, 2}}, func(r *record.Result) { r.Time = measured.Add(-time.Hour) }, true},
	} {
		r := &record.Result{Time: measured, Shape: shape.WithoutTables()}
		r.Dataset = record.Dataset{Bytes: 9000, Records: 90, WALKeys: 2}
		c.of.describeDataset(&r.Dataset, workload.Keys{})
		c.change(r)
		assert.Equal(t, c.want, c.of.Matches(r, workload.Keys{}), name)
	}
}
