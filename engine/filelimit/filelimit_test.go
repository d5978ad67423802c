package filelimit

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
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
		assert.Equal(t, c.fits, (err == nil), "%d files for %d tables: %v", c.files, c.tables, err)
		if err != nil && !strings.Contains(err.Error(), "raise the limit of open files") {
			t.Errorf("no way out: %v", err)
		}
	}
}

func TestEachReadsEveryFileOnce(t *testing.T) {
	var reads [100]atomic.Int32
	assert.NoError(t, Each(context.Background(), len(reads), func(i int) error { reads[i].Add(1); return nil }))
	for i := range reads {
		assert.EqualValues(t, 1, reads[i].Load(), "reads of file %d", i)
	}
	damaged := errors.New("damaged")
	if err := Each(context.Background(), 100, func(i int) error {
		if i == 50 {
			return damaged
		}
		return nil
	}); !errors.Is(err, damaged) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Each(ctx, 3, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
