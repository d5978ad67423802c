package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReplace checks contents, mode and links of replaced files, and that a failure changes
// nothing and leaves no temporary file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link, dangling := filepath.Join(dir, "f"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling")
	for _, err := range []error{
		os.WriteFile(path, []byte("old"), 0o640), os.Symlink(path, link), os.Symlink(filepath.Join(dir, "none"), dangling),
		Replace(link, []byte("new")), Replace(filepath.Join(dir, "fresh"), nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "new" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if fi, err := os.Stat(path); err != nil || fi.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", fi.Mode(), err)
	}
	for _, refused := range []string{dangling, dir, filepath.Join(dir, "none", "f")} {
		if Replace(refused, []byte("x")) == nil {
			t.Errorf("%s was replaced", refused)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 4 {
		t.Errorf("left behind: %v, %v", files, err)
	}
}

func TestRequireReplaceable(t *testing.T) {
	dir := t.TempDir()
	if err := RequireReplaceable(filepath.Join(dir, "f"), "--out"); err != nil {
		t.Error(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "none", "f")} {
		if RequireReplaceable(path, "--out") == nil {
			t.Errorf("%s can be replaced", path)
		}
	}
}
