package record

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"getio/tree/readpath"
)

// TestFieldsAreDocumented: docs/records.md names every field of every record.
func TestFieldsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/records.md")
	if err != nil {
		t.Fatal(err)
	}
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
			if !strings.Contains(string(doc), name) {
				t.Errorf("docs/records.md does not mention %s.%s", typ.Name(), name)
			}
			walk(typ.Field(i).Type)
		}
	}
	for _, kind := range []any{
		Result{}, Inspection{}, Prediction{}, Advice{}, Categories{}, Chain{}, ChainMade{}, Level0{},
		AdapterCheck{}, ExternalCount{}, State{}, Comparison{},
	} {
		walk(reflect.TypeOf(kind))
	}
	if len(seen) < 15 {
		t.Errorf("only %d kinds of objects were checked", len(seen))
	}
}

// TestUnmeasuredIsAbsent: a field without a value is not written as zero.
func TestUnmeasuredIsAbsent(t *testing.T) {
	data, err := json.Marshal(&Result{Components: map[string]Component{"data": {}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ci95", "steady", "drift", "hit_rate", "shared_loads", "updates", "keys_file", "wal_keys", "block_cache", "warnings", "split", "keys\"", "latency"} {
		if strings.Contains(string(data), `"`+name) {
			t.Errorf("%s is present although it was not measured: %s", name, data)
		}
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
