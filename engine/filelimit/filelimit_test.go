package filelimit

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A bound above the number of files is never reached.
func TestRequireCountsFilesThatExist(t *testing.T) {
	most := mostForDatabase()
	for _, c := range []struct {
		maxOpen, files int
		fits           bool
	}{
		{ForDatabase(), 1 << 30, true},
		{most, 1 << 30, true},
		{most + 1, most + 1, false},
		{1 << 30, most, true},
		{1 << 30, most + 1, false},
	} {
		err := Require(c.maxOpen, c.files)
		assert.Equal(t, c.fits, (err == nil), "max_open_files %d for %d files: %v", c.maxOpen, c.files, err)
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
