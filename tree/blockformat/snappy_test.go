package blockformat

import "testing"

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
		if got := c.rule.Pays(c.n, c.m); got != c.want {
			t.Errorf("%q: %d bytes instead of %d are worth it: %v", c.rule, c.m, c.n, got)
		}
	}
}
