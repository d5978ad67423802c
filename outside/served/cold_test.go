package served

import (
	"testing"

	"getio/engine"
)

// TestColdReads checks that a page is read once per key.
func TestColdReads(t *testing.T) {
	var c coldReads
	c.read(engine.TableRead{File: 1, Length: 48}) // opens a table
	c.next()
	for _, r := range []engine.TableRead{
		{File: 1, Offset: 4000, Length: 200}, // pages 0 and 1
		{File: 1, Offset: 100, Length: 3996}, // the end of page 0
		{File: 1, Offset: 8191, Length: 2},   // page 1, and 2 for the first time
		{File: 2, Offset: 0, Length: 1},
		{File: 2, Offset: 0, Length: 0},
	} {
		c.read(r)
	}
	if c.reads != 3 || c.pages != 4 {
		t.Errorf("%d reads of %d pages, want 3 of 4", c.reads, c.pages)
	}
	c.next()
	c.read(engine.TableRead{File: 1, Offset: 100, Length: 1})
	if c.reads != 4 || c.pages != 5 {
		t.Errorf("%d reads of %d pages after another key, want 4 of 5", c.reads, c.pages)
	}
}
