package blockformat

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSnappyRules(t *testing.T) {
	for _, c := range []struct {
		rule SnappyRule
		n, m int
		want bool
	}{
		{SnappyEighth, 4000, 3499, true}, {SnappyEighth, 4000, 3500, false},
		{SnappyEighth, 4001, 3501, false}, {SnappyEighth, 4007, 3506, true},
		{SnappyPercent12, 4000, 3520, true}, {SnappyPercent12, 4000, 3521, false},
		{SnappyPercent12, 4001, 3521, false}, {SnappyPercent12, 4003, 3522, true},
		{SnappyNever, 4000, 1, false},
	} {
		assert.Equal(t, c.want, c.rule.Pays(c.n, c.m), "%q: %d bytes instead of %d", c.rule, c.m, c.n)
	}
}
