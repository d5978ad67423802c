// Package ondisk reads what the directories of LevelDB-family databases have in common:
// file names, CURRENT and the OPTIONS file.
package ondisk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/engine"
	"getio/system/filesystem"
)

// Names lists the files in dir. Errors wrap engine.ErrNoDatabase if there is no such directory. A
// named pipe or a device in it is an error: a library that opened it would wait for good.
func Names(dir string) ([]string, error) {
	fi, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s does not exist: name an existing database directory (%w)", dir, engine.ErrNoDatabase)
	case err != nil:
		return nil, fmt.Errorf("cannot stat %s: %w", dir, err)
	case !fi.IsDir():
		return nil, fmt.Errorf("%s is a file: name the directory that holds the database (%w)", dir, engine.ErrNoDatabase)
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot list %s: %w", dir, err)
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return nil, fmt.Errorf("cannot list %s: %w", dir, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
		path := filepath.Join(dir, e.Name())
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			fi, err := os.Stat(path)
			if err != nil {
				continue // whoever opens it says why it cannot
			}
			mode = fi.Mode()
		}
		if mode&fs.ModeSocket != 0 {
			continue // a client has one in its data directory; it cannot be opened, so it cannot block a reader
		}
		if err := filesystem.CheckRegular(path, mode); err != nil {
			return nil, fmt.Errorf("%w: a database has only files, restore it from a copy", err)
		}
	}
	return names, nil
}

// Bytes returns the total size of files in dir. Those that do not exist any more take none.
func Bytes(dir string, names []string) (sum int64, err error) {
	for _, name := range names {
		fi, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err == nil:
			sum += fi.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return 0, fmt.Errorf("cannot read the size of a file of the database (%w): check its disk, or work on a copy", err)
		}
	}
	return sum, nil
}

// RequireEmpty returns an error if dir exists and is not empty.
func RequireEmpty(dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	names, err := Names(dir)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s is not empty: name a new directory for the database", dir)
	}
	return err
}

// Current returns the MANIFEST that CURRENT names.
func Current(dir string) (string, error) {
	path := filepath.Join(dir, "CURRENT")
	b, err := filesystem.ReadRegular(path, 1<<10)
	if err != nil {
		return "", fmt.Errorf("cannot read %s: %w", path, err)
	}
	name, whole := strings.CutSuffix(string(b), "\n")
	if !whole || !strings.HasPrefix(name, "MANIFEST-") || strings.ContainsAny(name, "/\n") {
		return "", fmt.Errorf("%s does not name a MANIFEST: the database is damaged, restore it from a copy", path)
	}
	return name, nil
}

// mostManifest is more than libraries let a MANIFEST grow to.
const mostManifest = 1 << 30

// RequireManifest returns an error if the database's MANIFEST is missing, or larger than one can be.
func RequireManifest(dir, manifest string) error {
	switch fi, err := os.Stat(filepath.Join(dir, manifest)); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %s, which names its tables, is missing: the database is damaged, restore it from a copy", dir, manifest)
	case err == nil && fi.Size() > mostManifest:
		return fmt.Errorf("%s: %s has more than %s: the database is damaged, restore it from a copy", dir, manifest, humanize.IBytes(mostManifest))
	}
	return nil
}
