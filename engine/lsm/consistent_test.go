package lsm

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shapeFile is the sample as 'getio inspect DIR --shape FILE' writes it.
func shapeFile(t testing.TB) []byte {
	s := sampleShape()
	s.Schema = SchemaV1
	text, err := json.Marshal(s)
	require.NoError(t, err)
	return text
}

func readShape(t testing.TB, text []byte) (*Shape, error) {
	path := filepath.Join(t.TempDir(), "shape.json")
	require.NoError(t, os.WriteFile(path, text, 0o644))
	return ReadFile(path)
}

func TestShapesThatContradictThemselves(t *testing.T) {
	text := shapeFile(t)
	read, err := readShape(t, text)
	require.NoError(t, err)
	assert.Equal(t, sampleShape().Levels, read.Levels)
	for _, c := range []struct{ from, to, says string }{
		{`"file":6,"smallest"`, `"file":6,"records":-1,"smallest"`, ""}, // overwritten by the later field
		{`"bytes":30000,"records":300,"data_bytes":27000,"data_blocks":120,"index_bytes":1200,"index_blocks":60,"top_index_bytes":150,"filter_bytes":360}`,
			`"bytes":30000,"records":-300,"data_bytes":27000,"data_blocks":120,"index_bytes":1200,"index_blocks":60,"top_index_bytes":150,"filter_bytes":360}`,
			"level 5: table 5: records is -300"},
		{`"level":5,"tables":1`, `"level":5,"tables":2`, "level 5: its numbers are not the sums"},
		{`"level":5,`, `"level":7,`, "level 7 is listed after level 0"},
		{`"level":6,`, `"level":5,`, "level 5 is listed after level 5"},
		{`"level":6,"tables":2,"bytes":300000`, `"level":6,"tables":2,"bytes":9000000000000000000`, "level 6: bytes is 9000000000000000000"},
		{`"ip1_bytes":`, `"ip1_bytes":1`, "ip1_bytes is 1"},
		{`"levels":`, `"older_records":[{"of":{"level":5},"in":{"level":6},"visits":0.5}],"levels":`, ""},
		{`"levels":`, `"older_records":[{"of":{"level":4},"in":{"level":6},"visits":0.5}],"levels":`, "older_records names level 4, but level 4 has 0 sorted runs"},
		{`"levels":`, `"older_records":[{"of":{"level":0,"sublevel":7},"in":{"level":6},"visits":0.5}],"levels":`, "older_records names sublevel 7 of level 0, but level 0 has "},
		{`"levels":`, `"older_records":[{"of":{"level":6},"in":{"level":6},"visits":0.5}],"levels":`, "older_records says that of the Gets that find their key in level 6, a share of 0.5 visits level 6"},
		{`"levels":`, `"older_records":[{"of":{"level":6},"in":{"level":5},"visits":0.5}],"levels":`, "a share of 0.5 visits level 5"},
		{`"levels":`, `"older_records":[{"of":{"level":5},"in":{"level":6},"visits":0.5,"finds":0.6}],"levels":`, "a share of 0.6 finds an older record there"},
	} {
		changed := bytes.Replace(text, []byte(c.from), []byte(c.to), 1)
		require.NotEqual(t, text, changed, c.from)
		_, err := readShape(t, changed)
		if c.says == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, c.says)
		assert.ErrorContains(t, err, "getio inspect DIR --shape FILE")
	}
}

// FuzzReadFile reads arbitrary shape files. A shape that is accepted has no number below 0.
func FuzzReadFile(f *testing.F) {
	f.Add(shapeFile(f))
	f.Add([]byte(`{"schema":"getio.shape/1","levels":[{"level":6,"tables":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := readShape(t, text)
		if err != nil {
			return
		}
		for _, l := range s.Levels {
			require.NoError(t, checkRange(l))
		}
		assert.GreaterOrEqual(t, s.IP1Bytes, int64(0))
		assert.GreaterOrEqual(t, s.IP2Bytes, s.IP1Bytes)
	})
}
