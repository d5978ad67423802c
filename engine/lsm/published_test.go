package lsm

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publishedLevel is one row of a published table, by column name.
type publishedLevel map[string]string

func (p publishedLevel) figure(t *testing.T, column string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(p[column], 10, 64)
	require.NoError(t, err)
	return n
}

func readPublished(t *testing.T, name string) (lines []publishedLevel) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "numbers", "published", name))
	require.NoError(t, err)
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, r := range records[1:] {
		line := publishedLevel{}
		for i, column := range records[0] {
			line[column] = r[i]
		}
		lines = append(lines, line)
	}
	return lines
}

// publishedShape returns a shape with the study's levels, one table each, and the largest
// error that rounding of the printed figures causes in the sum of all index blocks and of
// all filters except the last level's.
func publishedShape(t *testing.T, dataset string) (shape *Shape, published publishedLevel, rounding float64) {
	t.Helper()
	var levels [NumLevels][]Table
	for _, line := range readPublished(t, "shapes.csv") {
		switch {
		case line["dataset"] != dataset:
			continue
		case line["level"] == "TOTAL":
			published = line
			continue
		case line.figure(t, "tables") == 0:
			continue
		}
		level := int(line["level"][1] - '0')
		// The study includes the top index in the index blocks.
		index, top := line.figure(t, "index_bytes"), line.figure(t, "top_index_bytes")
		levels[level] = []Table{{
			DataBytes:     line.figure(t, "data_bytes"),
			IndexBytes:    index - top,
			TopIndexBytes: top,
			FilterBytes:   line.figure(t, "filter_bytes"),
		}}
		rounding += halfDigit(index)
		if level != NumLevels-1 {
			rounding += halfDigit(line.figure(t, "filter_bytes"))
		}
	}
	return NewShape(levels), published, rounding
}

// halfDigit returns half a unit of the last printed digit of a size. The study's tool
// prints one decimal below 10 and none from 10 on.
func halfDigit(bytes int64) float64 {
	unit := 1.0
	for float64(bytes) >= 1024*unit {
		unit *= 1024
	}
	if float64(bytes) < 10*unit {
		return unit / 20
	}
	return unit / 2
}

// printedSize parses a size such as "2.52 GB (0.11%)" and returns it with half a unit of
// its last digit.
func printedSize(t *testing.T, s string) (bytes, half float64) {
	t.Helper()
	fields := strings.Fields(s)
	n, err := strconv.ParseFloat(fields[0], 64)
	require.NoError(t, err)
	_, decimals, _ := strings.Cut(fields[0], ".")
	unit := map[string]float64{"MB": 1 << 20, "GB": 1 << 30}[fields[1]]
	return n * unit, math.Pow10(-len(decimals)) * unit / 2
}

// TestPublishedDatabases compares the inflection points, as sizes and as shares of the database,
// and the parts that they consist of.
func TestPublishedDatabases(t *testing.T) {
	lines := readPublished(t, "datasets.csv")
	require.Len(t, lines, 3)
	for _, line := range lines {
		t.Run(line["dataset"], func(t *testing.T) {
			shape, total, rounding := publishedShape(t, line["dataset"])
			database := float64(total.figure(t, "data_bytes"))
			// The terms of IP1 are printed with enough digits.
			comparePublished(t, line["filter_plus_top_index"], shape.IP1Bytes, 0, rounding, database)
			comparePublished(t, line["filter_plus_all_index"], shape.IP2Bytes, rounding, rounding, database)
			checkTopIndexIsCountedOnce(t, line["dataset"], shape)

			read, unread := shape.ComponentBytes()
			all := shape.Total().FilterBytes
			want, half := printedSize(t, line["filter_with_last_level"])
			if math.Abs(float64(all)-want) > half+halfDigit(all) {
				t.Errorf("all filters are published as %s, got %.2f MiB", line["filter_with_last_level"], float64(all)/(1<<20))
			}
			if last := shape.Levels[len(shape.Levels)-1]; last.Level != 6 || unread != last.FilterBytes {
				t.Errorf("%d filter bytes are unread, but L%d has %d", unread, last.Level, last.FilterBytes)
			}
			if want := shape.IP2Bytes + shape.Total().DataBytes; read.Sum() != want {
				t.Errorf("the components that Gets read have %d bytes, but IP2 and data have %d", read.Sum(), want)
			}
		})
	}
}

// comparePublished compares a size with a published one such as "2.52 GB (0.11%)". The study
// prints shares of the database with two decimals; it rounds some and truncates others.
func comparePublished(t *testing.T, printed string, got int64, within, rounding, database float64) {
	t.Helper()
	want, half := printedSize(t, printed)
	if math.Abs(float64(got)-want) > half+within {
		t.Errorf("published as %s, got %.2f MiB", printed, float64(got)/(1<<20))
	}
	_, share, _ := strings.Cut(printed, "(")
	_, err := fmt.Sscanf(share, "%f%%)", &want)
	require.NoError(t, err)
	if percent := 100 * float64(got) / database; math.Abs(percent-want) > 0.01+100*rounding/database {
		t.Errorf("published as %s, got %.4f%%", printed, percent)
	}
}

// checkTopIndexIsCountedOnce: the study's index bytes include the top index; a shape's do not.
func checkTopIndexIsCountedOnce(t *testing.T, dataset string, shape *Shape) {
	t.Helper()
	var want int64
	for _, level := range readPublished(t, "shapes.csv") {
		if level["dataset"] != dataset || level["level"] == "TOTAL" {
			continue
		}
		want += level.figure(t, "index_bytes")
		if level["level"] != "L6" {
			want += level.figure(t, "filter_bytes")
		}
	}
	assert.Equal(t, want, shape.IP2Bytes)
}
