package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestExpect(t *testing.T) {
	said := func(least, most time.Duration, until time.Time) string {
		var out strings.Builder
		NewProgress(&out).Expect(least, most, until)
		return out.String()
	}
	assert.Empty(t, said(9*time.Second, time.Hour, time.Time{}))
	assert.Equal(t, "This takes about 20s, and disk space only for records.\n", said(21*time.Second, 30*time.Second, time.Time{}))
	assert.Equal(t, "This takes about 1m0s, at most 12m0s (--time bounds it), and disk space only for records.\n", said(61*time.Second, 12*time.Minute, time.Time{}))
	assert.Equal(t, "This takes at most 1h0m0s, and disk space only for records.\n", said(3*time.Minute, time.Hour, time.Now().Add(time.Hour)))
}
