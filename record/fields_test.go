package record

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/readpath"
)

// TestFieldsAreDocumented: docs/records.md names every field of every record.
func TestFieldsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/records.md")
	require.NoError(t, err)
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			if typ.Field(i).Anonymous {
				walk(typ.Field(i).Type)
				continue
			}
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			assert.Contains(t, string(doc), name, "docs/records.md does not mention %s.", typ.Name())
			walk(typ.Field(i).Type)
		}
	}
	for _, kind := range []any{
		Result{}, Inspection{}, Prediction{}, Advice{}, Categories{}, Chain{}, ChainMade{}, Level0{},
		AdapterCheck{}, Diagnosis{}, ExternalCount{}, MDBX{}, State{}, Comparison{}, Watch{}, Gate{},
	} {
		walk(reflect.TypeOf(kind))
	}
	assert.GreaterOrEqual(t, len(seen), 15)
}

// TestUnmeasuredIsAbsent: a field without a value is not written as zero.
func TestUnmeasuredIsAbsent(t *testing.T) {
	data, err := json.Marshal(&Result{Components: map[string]Component{"data": {}}})
	require.NoError(t, err)
	for _, name := range []string{"ci95", "steady", "drift", "hit_rate", "shared_loads", "updates", "keys_file", "wal_keys", "block_cache", "warnings", "split", "keys\"", "latency"} {
		assert.NotContains(t, string(data), `"`+name, "%s is present although it was not measured: %s", name, data)
	}
}

func TestBelievable(t *testing.T) {
	r := &Result{Checks: []readpath.Check{{Name: "a", OK: true}}}
	if !r.Checks.Hold() || len(r.Checks.Failed()) != 0 {
		t.Error("a run whose check holds is believable")
	}
	r.Checks = append(r.Checks, readpath.Check{Name: "b"})
	if r.Checks.Hold() || len(r.Checks.Failed()) != 1 || r.Checks.Failed()[0].Name != "b" {
		t.Errorf("failed: %v", r.Checks.Failed())
	}
}
