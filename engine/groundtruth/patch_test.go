package groundtruth

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
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
