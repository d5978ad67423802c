package dataset

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestPinned pins outputs on which the keys, values and orders of existing datasets depend, and so
// do resumed loads. Invalid arguments give errors.
func TestPinned(t *testing.T) {
	datadriven.RunTest(t, "testdata/pinned", func(t *testing.T, d *datadriven.TestData) string {
		var kind string
		var size int
		var n, seed, i, round uint64
		for name, value := range map[string]any{"kind": &kind, "size": &size, "n": &n, "seed": &seed, "i": &i, "round": &round} {
			d.MaybeScanArgs(t, name, value)
		}
		var ks Keyspace
		var values *Values
		var err error
		switch d.Cmd {
		case "key", "absent":
			ks, err = NewKeyspace(kind, n, seed)
		case "value":
			values, err = NewValues(kind, size, seed)
		case "order":
			_, err = NewOrder(kind, mustKeyspace(t, KeyspaceKeccak, 1, 1), 1)
		}
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		var key [KeySize]byte
		switch d.Cmd {
		case "key":
			ks.Key(i, &key)
		case "absent":
			ks.Absent(i, &key)
		case "value":
			return hex.EncodeToString(values.Updated(i, round, nil)) + "\n"
		case "draw":
			return fmt.Sprintf("%#x\n", Draw(seed, i))
		case "position":
			return fmt.Sprintln(newPermutation(n, newStream(seed, forOrder)).Of(i))
		}
		return hex.EncodeToString(key[:]) + "\n"
	})
}

// TestManifestFile pins the field names of the format. Empty fields are omitted.
func TestManifestFile(t *testing.T) {
	manifests := map[string]*Manifest{
		"smallest": {Keys: 10, Keyspace: KeyspaceKeccak, Values: ValuesPool32, ValueSize: 110, Order: OrderRandom, Engine: "goleveldb"},
		"full":     validManifest(),
	}
	datadriven.RunTest(t, "testdata/manifest", func(t *testing.T, d *datadriven.TestData) string {
		dir := t.TempDir()
		require.NoError(t, manifests[d.Cmd].Write(dir))
		path := filepath.Join(dir, ManifestName)
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		info, err := os.Stat(path)
		require.NoError(t, err)
		if info.Mode().Perm() != 0o644 {
			t.Errorf("mode %v, want readable by all", info.Mode())
		}
		return string(got)
	})
}
