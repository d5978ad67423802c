package readpath

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestComponentNames(t *testing.T) {
	want := []string{"filter", "top_index", "index", "data", "blob", "table_open", "other"}
	for i, c := range Components() {
		if c.String() != want[i] || int(c) != i {
			t.Errorf("component %d, number %d, is named %s, want %s", i, int(c), c, want[i])
		}
	}
	assert.Len(t, want, NumComponents)
}

func TestUnknownComponentName(t *testing.T) {
	assert.Equal(t, "component(7)", Component(NumComponents).String())
}
