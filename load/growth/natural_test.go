package growth

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
)

var shapes = flag.String("shapes", "", "print the rows of testdata/natural.csv for the shapes LOAD_KEYS_SEED_SCALE.json in this directory")

// TestMeasure prints rows of testdata/natural.csv.
func TestMeasure(t *testing.T) {
	if *shapes == "" {
		t.Skip("measures only what -shapes names")
	}
	files, err := filepath.Glob(filepath.Join(*shapes, "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var s lsm.Shape
		require.NoError(t, json.Unmarshal(text, &s), file)
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".json"), "_", ",")
		visits := consulted(&s)
		for _, l := range s.Levels {
			v := statsOf(l)
			fmt.Printf("%s,%d,%d,%d,%d,%d,%d,%.3f,%.3f,%.2f,%.2f,%.2f,%.2f,%.3f,%.3f,%.3f\n", name, s.BaseLevel, l.Level, l.Tables, l.Records,
				l.Bytes, l.DataBlocks, v.coverage, v.gaps, v.width, v.size, v.reach, v.both, v.visited, v.hot, visits)
		}
	}
}

// natural is a measured tree: its rows of testdata/natural.csv.
type natural struct {
	load   string
	keys   uint64
	scale  int64 // all sizes of the configuration were divided by this
	base   int
	visits float64 // tables that a Get of an existing key visits
	levels map[int]naturalLevel
}

type naturalLevel struct {
	levelStats
	bytes, blocks float64
}

func naturals(t *testing.T) (trees []*natural) {
	t.Helper()
	f, err := os.Open("testdata/natural.csv")
	require.NoError(t, err)
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	require.NoError(t, err)
	var before string
	for _, row := range rows[1:] {
		number := func(i int) float64 {
			x, err := strconv.ParseFloat(row[i], 64)
			require.NoError(t, err, "testdata/natural.csv: %v", row)
			return x
		}
		if name := strings.Join(row[:4], " "); name != before {
			before = name
			trees = append(trees, &natural{load: row[0], keys: uint64(number(1)), scale: int64(number(3)), base: int(number(4)),
				visits: number(18), levels: map[int]naturalLevel{}})
		}
		trees[len(trees)-1].levels[int(number(5))] = naturalLevel{
			levelStats: levelStats{tables: int(number(6)), records: int64(number(7)), coverage: number(10), gaps: number(11), width: number(12),
				size: number(13), reach: number(14), both: number(15), visited: number(16), hot: number(17)},
			bytes: number(8), blocks: number(9),
		}
	}
	return trees
}

// kind names levels that have an arrangement in common.
func kind(level, base int) string {
	switch {
	case level == 0:
		return "L0"
	case level == lastLevel:
		return "L6"
	case level == base:
		return "base"
	}
	return fmt.Sprintf("base+%d", min(level-base, len(arrangementBelow)))
}
