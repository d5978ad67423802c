package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"getio/record"
)

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg != (len(args) == 2) {
		ts.Fatalf("usage: json FILE PATH REGEXP, or ! json FILE PATH")
	}
	for i, value := range jsonLines(ts, args[0]) {
		got, ok := field(value, args[1])
		switch {
		case neg && ok:
			ts.Fatalf("line %d: %s is there: %v", i+1, args[1], got)
		case neg:
		case !ok:
			ts.Fatalf("line %d: no %s", i+1, args[1])
		default:
			if !regexp.MustCompile("^(?:" + args[2] + ")$").MatchString(text(got)) {
				ts.Fatalf("line %d: %s is %s, want %s", i+1, args[1], text(got), args[2])
			}
		}
	}
}

func scriptSameField(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: samefield A B PATH")
	}
	a, b := jsonLines(ts, args[0]), jsonLines(ts, args[1])
	if len(a) != len(b) {
		ts.Fatalf("%d and %d lines", len(a), len(b))
	}
	for i := range a {
		x, ok := field(a[i], args[2])
		y, too := field(b[i], args[2])
		if !ok || !too || !reflect.DeepEqual(x, y) {
			ts.Fatalf("line %d: %s is %v and %v", i+1, args[2], x, y)
		}
	}
}

// jsonLines decodes a file of one or more JSON values, of which there must be one.
func jsonLines(ts *testscript.TestScript, file string) (values []any) {
	content := ts.ReadFile(file)
	d := json.NewDecoder(strings.NewReader(content))
	d.UseNumber()
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			ts.Fatalf("%s is not JSON: %v\n%s", file, err, content)
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		ts.Fatalf("%s is empty", file)
	}
	return values
}

// field follows a dotted path through objects and arrays.
func field(v any, path string) (any, bool) {
	for _, name := range strings.Split(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(x) {
				return nil, false
			}
			v = x[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func text(v any) string {
	switch v.(type) {
	case map[string]any, []any:
		data, _ := json.Marshal(v)
		return string(data)
	}
	return fmt.Sprint(v)
}

func scriptLines(ts *testscript.TestScript, _ bool, args []string) {
	if got := strconv.Itoa(strings.Count(ts.ReadFile(args[0]), "\n")); got != args[1] {
		ts.Fatalf("%s has %s lines, want %s", args[0], got, args[1])
	}
}

// scriptBelievable decodes records into the type that readers use.
func scriptBelievable(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	for _, line := range lines {
		var r record.Result
		ts.Check(json.Unmarshal([]byte(line), &r))
		switch {
		case r.Schema != record.ResultSchema:
			ts.Fatalf("schema %q", r.Schema)
		case len(r.Checks) == 0 || !r.Checks.Hold():
			ts.Fatalf("checks: %+v", r.Checks)
		case !(r.IOsPerGet.Mean >= 0) || len(r.IOsPerGet.Windows) == 0 || len(r.Components) == 0:
			ts.Fatalf("no figures: %s", line)
		}
	}
}
