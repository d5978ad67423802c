package engine_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/engine"
)

// leaves returns every integer within v, allocating pointers.
func leaves(v reflect.Value) (all []reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return leaves(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, leaves(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			all = append(all, leaves(v.Index(i))...)
		}
	case reflect.Int64:
		all = append(all, v)
	}
	return all
}

func TestCountsSubSubtractsEveryCount(t *testing.T) {
	var before, after engine.Counts
	old, now := leaves(reflect.ValueOf(&before)), leaves(reflect.ValueOf(&after))
	for i := range old {
		old[i].SetInt(int64(i))
		now[i].SetInt(int64(3*i + 1))
	}
	run := after.Sub(before)
	for i, n := range leaves(reflect.ValueOf(&run)) {
		if want := int64(2*i + 1); n.Int() != want || old[i].Int() != int64(i) || now[i].Int() != int64(3*i+1) {
			t.Errorf("count %d of %+v: %d, want %d (%d after, %d before)", i, run, n.Int(), want, now[i].Int(), old[i].Int())
		}
	}
	assert.GreaterOrEqual(t, len(old), 30)
}

// What a library does not count is not counted as zero.
func TestCountsSubOfMissingCountIsMissing(t *testing.T) {
	for _, c := range []struct{ a, b *int64 }{{nil, nil}, {new(int64(1)), nil}, {nil, new(int64(1))}} {
		if run := (engine.Counts{SharedLoads: c.a}).Sub(engine.Counts{SharedLoads: c.b}); run.SharedLoads != nil {
			t.Errorf("%d shared loads", *run.SharedLoads)
		}
	}
}
