//go:build !rocksdb

package rocksdb

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine"
)

// Without the library, every error says how to get it, and a database is still recognised.
func TestMissingEngine(t *testing.T) {
	_, configure := Engine.Configure("", nil)
	_, create := Engine.Create("x", nil)
	_, resume := Engine.Resume("x", nil)
	_, open := Engine.OpenStore(context.Background(), "x", nil)
	dir := t.TempDir()
	for name, content := range map[string]string{"CURRENT": "MANIFEST-000005\n", "MANIFEST-000005": "", "OPTIONS-000007": ours} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	_, recognise := Engine.Recognise(dir)
	for what, err := range map[string]error{"configure": configure, "create": create, "resume": resume, "open": open, "recognise": recognise} {
		assert.ErrorContains(t, err, "built without RocksDB: install librocksdb-dev", what)
	}
	if !strings.HasPrefix(recognise.Error(), dir+" is a RocksDB database") || errors.Is(recognise, engine.ErrNoDatabase) {
		t.Errorf("%v", recognise)
	}
	if _, err := Engine.Recognise(t.TempDir()); !errors.Is(err, engine.ErrNoDatabase) {
		t.Errorf("an empty directory: %v", err)
	}
	if Engine.Name() != name || len(Engine.Presets()) != 0 {
		t.Errorf("%s, %v", Engine.Name(), Engine.Presets())
	}
}
