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
		{1500, 20_000, "keys", "", "pebblev2: load: 1,500 of 20,000 keys (8%), 150/s, 2m3s to go"},
		{7, 0, "reads", "1.932 I/Os per Get", "pebblev2: load: 7 reads, 0/s, 1.932 I/Os per Get"},
		{100, 100, "Gets", "steady", "pebblev2: load: 100 of 100 Gets (100%), 10/s, steady"},
		{190, 20_000, "keys", "", "pebblev2: load: 190 of 20,000 keys (1%), 19/s"}, // too early to tell
		{500, 1000, "", "warm-up", "pebblev2: load: 50%, 10s to go, warm-up"},
	} {
		p.least = 0
		assert.Equal(t, c.want, p.line(c.done, c.total, c.unit, c.note, 10*time.Second))
	}
	long := &Progress{phase: "cache 2 of 3 (2.0 MiB)"}
	assert.Equal(t, "cache 2 of 3 (2.0 MiB): 140 of 200 Gets (70%), 4s to go, 0.423 I/Os per Get",
		long.line(140, 200, "Gets", "0.423 I/Os per Get", 10*time.Second), "without the speed, it fits")
	assert.Equal(t, "cache 2 of 3 (2.0 MiB): 140,000 of 200,000 Gets (70%), 4s to go",
		long.line(140_000, 200_000, "Gets", "0.423 I/Os per Get", 10*time.Second), "without the speed and the note, it fits")
}

// TestEstimatesDoNotGrow: a phase that takes more than a fifth longer than it was said to take is said to do so.
func TestEstimatesDoNotGrow(t *testing.T) {
	p := &Progress{phase: "in all"}
	said := func(share uint64, took time.Duration) string { return p.line(share, 1000, "", "", took) }
	assert.Equal(t, "in all: 10%, 1m30s to go", said(100, 10*time.Second))
	assert.Equal(t, "in all: 20%, 1m36s to go", said(200, 24*time.Second))
	assert.Equal(t, "in all: 20%, longer than expected", said(200, 25*time.Second))
	assert.Equal(t, "in all: 30%, 1m10s to go", said(300, 30*time.Second))
	p.from, p.least = 500, 0 // resumed
	assert.Equal(t, "in all: 60%, 40s to go", said(600, 10*time.Second))
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
