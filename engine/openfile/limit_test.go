package openfile

import (
	"strings"
	"testing"
)

// A bound above the number of tables is never reached.
func TestRequireCountsTablesThatExist(t *testing.T) {
	most := mostForDatabase()
	for _, c := range []struct {
		files, tables int
		fits          bool
	}{
		{ForDatabase(), 1 << 30, true},
		{most, 1 << 30, true},
		{most + 1, most + 1, false},
		{1 << 30, most, true},
		{1 << 30, most + 1, false},
	} {
		err := Require(c.files, c.tables)
		if (err == nil) != c.fits {
			t.Errorf("%d files for %d tables: %v", c.files, c.tables, err)
		}
		if err != nil && !strings.Contains(err.Error(), "raise the limit of open files") {
			t.Errorf("no way out: %v", err)
		}
	}
}
