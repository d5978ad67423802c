package groundtruth

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// edit replaces a piece of a library's source. Its anchor must be found exactly
// as often as it says: a version whose source differs makes the test fail
// rather than count something else.
type edit struct {
	file  string // within the module
	times int
	old   string
	new   string
}

// apply makes the edits in the copy of a module at dir.
func apply(dir string, edits []edit) error {
	for _, e := range edits {
		path := filepath.Join(dir, filepath.FromSlash(e.file))
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := bytes.Count(source, []byte(e.old)); n != e.times {
			return fmt.Errorf("%s has the following %d times, not %d: the patch does not fit this version\n%s", path, n, e.times, e.old)
		}
		source = bytes.ReplaceAll(source, []byte(e.old), []byte(e.new))
		if err := os.WriteFile(path, source, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func TestApplyIsExact(t *testing.T) {
	const source = "one two two"
	for _, c := range []struct {
		edit edit
		want string // "" if the edit must be refused
	}{
		{edit{"a.go", 1, "one", "1"}, "1 two two"},
		{edit{"a.go", 2, "two", "2"}, "one 2 2"},
		{edit{"a.go", 1, "two", "2"}, ""},
		{edit{"a.go", 1, "three", "3"}, ""},
		{edit{"b.go", 1, "one", "1"}, ""},
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a.go")
		if err := os.WriteFile(name, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		err := apply(dir, []edit{c.edit})
		got, readErr := os.ReadFile(name)
		if readErr != nil {
			t.Fatal(readErr)
		}
		switch {
		case c.want == "" && (err == nil || string(got) != source):
			t.Errorf("%+v: error %v, source %q, want a refusal", c.edit, err, got)
		case c.want != "" && (err != nil || string(got) != c.want):
			t.Errorf("%+v: error %v, source %q, want %q", c.edit, err, got, c.want)
		}
	}
}
