package advice

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/client/geth"
	"getio/engine/engines"
	"getio/load/growth"
	"getio/predict/scenario"
	"getio/record"
	"getio/workload"
)

// TestDescribeScenario: only the model of a mainnet node's database has geth's cache.
func TestDescribeScenario(t *testing.T) {
	for name, isGeth := range map[string]bool{"small": false, growth.NameMainnet: true} {
		s, err := scenario.Query{Dataset: name}.Scenario(engines.All(), workload.Keys{Seed: 1})
		require.NoError(t, err)
		var q Question
		q.DescribeScenario(s)
		assert.Equal(t, isGeth, q.Client.Store != nil, name)
		assert.Equal(t, s.Subject, q.Subject, name)
		present := int64(0)
		if isGeth {
			present = s.Reserved + 3<<29
		}
		assert.Equal(t, present, q.Present, name)
	}
}

// TestRecordsMeanGethsDefaults: what a record leaves out is what geth does by default. Where geth changes, records that are
// there keep their meaning, and new ones must say the value.
func TestRecordsMeanGethsDefaults(t *testing.T) {
	assert.EqualValues(t, geth.DatabasePercent, record.DefaultGethDatabase)
}
