package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/record"
)

// TestComparedRefuses: records without sides, or with a run of one side alone, have no verdict.
func TestComparedRefuses(t *testing.T) {
	run := func(side string) *record.Result {
		return &record.Result{ComparisonRun: &record.ComparisonRun{Side: side, Round: 1, Rounds: 2}}
	}
	_, err := compared([]*record.Result{{}})
	assert.ErrorContains(t, err, "lacks its side: run its cell again")
	_, err = compared([]*record.Result{run("A"), run("B"), run("A")})
	assert.ErrorContains(t, err, "do not have the same number of runs: run its cells again")
}
