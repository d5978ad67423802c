package memory_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/predict/memory"
	"getio/record"
)

func TestDivide(t *testing.T) {
	q := memory.Question{Sizes: []int64{16 << 30, 4 << 30, 8 << 30, 8 << 30}, Other: 1 << 30}
	assert.NoError(t, q.Check())
	assert.Equal(t, []record.PredictedMemory{
		{Bytes: 8 << 30, OtherBytes: 1 << 30, OutsideBytes: 1 << 28, PageCacheBytes: 3<<30 - 1<<28},
		{Bytes: 16 << 30, OtherBytes: 1 << 30, OutsideBytes: 1 << 28, PageCacheBytes: 11<<30 - 1<<28},
	}, q.Divide(4<<30, 1<<28))
	assert.Empty(t, (&memory.Question{}).Divide(1, 0))
}

func TestImpossibleQuestions(t *testing.T) {
	assert.ErrorContains(t, (&memory.Question{Other: 1}).Check(), "--other-memory belongs to --memory")
	assert.ErrorContains(t, (&memory.Question{Sizes: []int64{2 << 30, 1 << 30}, Other: 1 << 30}).Check(), "--memory 1.0 GiB leaves nothing")
	assert.NoError(t, (&memory.Question{}).Check())
}
