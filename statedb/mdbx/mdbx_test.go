//go:build cgo

package mdbx

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/record"
	"getio/statedb/adapter"
	"getio/statedb/conformance"
)

func TestMain(m *testing.M) {
	adaptertest.Run(m, func(string) (adapter.Engine, error) { return New() })
}

func TestConforms(t *testing.T) {
	t.Setenv(adaptertest.EngineVariable, "mdbx")
	self, err := os.Executable()
	require.NoError(t, err)
	p := conformance.Plan{Command: []string{self}, Dir: t.TempDir(), Keys: 5000, Seed: 4}
	_, err = p.Run(t.Context(), func(record.AdapterStep) {})
	require.NoError(t, err)
}

// TestStats compares the number of pages and the depth with those of a full tree.
func TestStats(t *testing.T) {
	const keys = 20_000
	s := open(t, adapter.Open{Dir: filepath.Join(t.TempDir(), "db")})
	value := bytes.Repeat([]byte{1}, 110)
	var records []adapter.Record
	for i := range uint64(keys) {
		records = append(records, adapter.Record{Key: binary.BigEndian.AppendUint64(make([]byte, 24), i), Value: value})
	}
	require.NoError(t, s.Load(records))
	_, err := s.Commit()
	require.NoError(t, err)
	stats, err := s.Stats()
	require.NoError(t, err)
	got := map[string]float64{}
	for _, st := range stats {
		got[st.Name] = st.Value
	}
	// A leaf of 4 KiB holds 28 records of 142 bytes, each with 8 bytes more, and ascending
	// keys fill it.
	if got["entries"] != keys || got["depth"] != 3 || got["page_size"] != 4096 || got["overflow_pages"] != 0 ||
		got["leaf_pages"] < keys/28 || got["leaf_pages"] > keys/24 || got["branch_pages"] < 2 || got["branch_pages"] > 30 {
		t.Errorf("%v", got)
	}
}

func TestRefusals(t *testing.T) {
	taken := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(taken, "file"), nil, 0o644))
	damaged := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(damaged, dataFile), bytes.Repeat([]byte{9}, 1<<16), 0o644))
	absent := filepath.Join(t.TempDir(), "absent")
	for says, o := range map[string]adapter.Open{
		"is not empty: choose an empty directory":             {Dir: taken},
		"has no MDBX store (no mdbx.dat)":                     {Dir: absent, Mode: adapter.Read},
		"with MDBX: ":                                         {Dir: damaged, Mode: adapter.Read},
		`option "nonsense" is not known: use one`:             {Dir: absent, Options: []string{"nonsense=1"}},
		"option readahead: 2 is out of range":                 {Dir: absent, Options: []string{"readahead=2"}},
		"MDBX does not support pages of 300 bytes with a map": {Dir: absent, Options: []string{"page_size=300"}},
	} {
		_, _, err := library{}.Open(o)
		assert.ErrorContains(t, err, says)
		assert.NoDirExists(t, absent, "a directory was made")
	}
	s := open(t, adapter.Open{Dir: absent})
	if err := s.Get(nil, true, nil); err == nil || err.Error() != "mdbx has no proofs" {
		t.Error(err)
	}
}

func open(t *testing.T, o adapter.Open) adapter.Store {
	t.Helper()
	s, _, err := library{}.Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
