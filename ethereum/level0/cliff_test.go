package level0

import (
	"errors"
	"testing"
)

// TestFirstPast tries every position of the cliff. No number may be tried twice, or be more
// than four times the answer.
func TestFirstPast(t *testing.T) {
	for _, most := range []int{0, 1, 3, 4, 5, 17, 400, 2000} {
		for cliff := 1; cliff <= most+1; cliff++ { // most+1: no cliff
			asked := map[int]bool{}
			got, err := firstPast(most, func(n int) (bool, error) {
				if asked[n] || n < 1 || n > most || n > max(4, 4*cliff) {
					t.Errorf("of %d, with the cliff at %d, %d tables are asked", most, cliff, n)
				}
				asked[n] = true
				return n >= cliff, nil
			})
			want := cliff
			if cliff > most {
				want = 0
			}
			if err != nil || got != want {
				t.Fatalf("of %d: %d, error %v, want %d", most, got, err, want)
			}
		}
	}
	broken := errors.New("broken")
	for _, at := range []int{4, 7} {
		if _, err := firstPast(100, func(n int) (bool, error) {
			if n == at {
				return false, broken
			}
			return n > 7, nil
		}); !errors.Is(err, broken) {
			t.Errorf("the error at %d is %v", at, err)
		}
	}
}
