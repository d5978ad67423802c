package readpath

import "testing"

func TestComponentNames(t *testing.T) {
	want := []string{"filter", "top_index", "index", "data", "table_open", "other"}
	for i, c := range Components() {
		if c.String() != want[i] || int(c) != i {
			t.Errorf("component %d, number %d, is named %s, want %s", i, int(c), c, want[i])
		}
	}
	if len(want) != NumComponents {
		t.Errorf("%d components", NumComponents)
	}
}

func TestUnknownComponentName(t *testing.T) {
	if got := Component(NumComponents).String(); got != "component(6)" {
		t.Errorf("it is named %s", got)
	}
}
