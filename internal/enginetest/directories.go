package enginetest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
)

// Directory is a directory that an engine recognises as its database or refuses.
type Directory struct {
	Files map[string]string // contents by name
	Error string            // a part of the error; "" if it is recognised
	None  bool              // the error wraps engine.ErrNoDatabase
	Other bool              // the error is an engine.OtherEngineError
}

// RunDirectories makes each directory and checks what recognise says of it.
func RunDirectories(t *testing.T, recognise func(dir string) error, directories map[string]Directory) {
	t.Helper()
	for name, d := range directories {
		dir := t.TempDir()
		for file, content := range d.Files {
			require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
		}
		d.Require(t, name, recognise(dir))
	}
}

// Require checks the error that a directory of a name is recognised with.
func (d Directory) Require(t *testing.T, name string, err error) {
	t.Helper()
	var other *engine.OtherEngineError
	switch {
	case d.Error == "" && err != nil, d.Error != "" && (err == nil || !strings.Contains(err.Error(), d.Error)):
		t.Errorf("%s: %v", name, err)
	case errors.Is(err, engine.ErrNoDatabase) != d.None, errors.As(err, &other) != d.Other:
		t.Errorf("%s: error %v is of the wrong kind", name, err)
	}
}
