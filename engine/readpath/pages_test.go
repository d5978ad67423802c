package readpath

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPages(t *testing.T) {
	for _, c := range []struct {
		off  int64
		n    int
		want int64
	}{
		{0, 0, 0}, {0, 1, 1}, {0, 4096, 1}, {0, 4097, 2}, {4095, 1, 1}, {4095, 2, 2}, {4096, 4096, 1}, {4097, 4096, 2}, {1, 12288, 4},
	} {
		assert.Equal(t, c.want, Pages(c.off, c.n), "%d bytes at %d", c.n, c.off)
	}
}

// TestMeanPageBytes compares the mean with all places in a page, one by one.
func TestMeanPageBytes(t *testing.T) {
	for _, n := range []int{1, 5, 3467, 4096, 4097, 20_000} {
		var pages int64
		for off := range int64(PageBytes) {
			for at := off / PageBytes * PageBytes; at < off+int64(n); at += PageBytes {
				pages++
			}
		}
		assert.Equal(t, float64(pages), MeanPageBytes(1, float64(n)), "%d bytes", n) // all pages, of 1/4096 each
	}
}
