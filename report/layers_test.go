package report

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/record"
)

// TestLayersOfWhichNothingIsKnown have no row: pages in records of an older getio, a device where a tree is virtual.
func TestLayersOfWhichNothingIsKnown(t *testing.T) {
	rows := func(r *record.Result) string {
		p := newPrinter(nil)
		layerTable(p, r)
		return p.buf.String()
	}
	old := rows(&record.Result{Device: record.Device{ReadsPerGet: new(1.5)}})
	assert.Contains(t, old, "device ")
	assert.NotContains(t, old, "without page cache")
	virtual := rows(&record.Result{PageBytesPerGet: new(8192.0)})
	assert.Contains(t, virtual, "device without page cache")
	assert.NotRegexp(t, `(?m)^device +-`, virtual)
}
