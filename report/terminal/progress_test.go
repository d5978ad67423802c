package terminal

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestProgressLines(t *testing.T) {
	p := &Progress{phase: "pebblev2: load"}
	for _, c := range []struct {
		done, total uint64
		unit, note  string
		want        string
	}{
		{0, 0, "", "", "pebblev2: load: under way"},
		{1500, 20_000, "keys", "", "pebblev2: load: 1,500 of 20,000 keys (8%), 1,500/s, 12s to go"},
		{7, 0, "reads", "1.932 I/Os per Get", "pebblev2: load: 7 reads, 7/s, 1.932 I/Os per Get"},
		{10, 10, "Gets", "steady", "pebblev2: load: 10 of 10 Gets (100%), 10/s, steady"},
	} {
		assert.Equal(t, c.want, p.line(c.done, c.total, c.unit, c.note, time.Second))
	}
	long := &Progress{phase: "cache 2 of 3 (2.0 MiB)"}
	assert.Equal(t, "cache 2 of 3 (2.0 MiB): 140 of 200 Gets (70%), 0s to go, 0.423 I/Os per Get",
		long.line(140, 200, "Gets", "0.423 I/Os per Get", time.Second), "without the speed, it fits")
	assert.Equal(t, "cache 2 of 3 (2.0 MiB): 140,000 of 200,000 Gets (70%), 0s to go",
		long.line(140_000, 200_000, "Gets", "0.423 I/Os per Get", time.Second), "without the speed and the note, it fits")
}

// TestProgressIsQuietAtFirst: a command that is done soon shows nothing, and a long one a line
// now and then.
func TestProgressIsQuietAtFirst(t *testing.T) {
	var out bytes.Buffer
	p := NewProgress(&out)
	p.began = time.Now().Add(time.Hour)
	p.Show("load", 1, 2, "keys", "")
	assert.LessOrEqual(t, out.Len(), 0, "%q was shown in the first second", out.String())
	p.began = time.Now().Add(-time.Hour)
	p.Show("load", 1, 2, "keys", "")
	p.Show("load", 2, 2, "keys", "")
	assert.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")), "%q", out.String())
}
