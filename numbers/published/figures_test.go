package published

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReads wants four runs per database, with their printed digits.
func TestReads(t *testing.T) {
	for database, smallest := range map[string]string{"small": "2.25", "medium": "2.18", "large": "2.42"} {
		runs, err := Reads(database)
		if err != nil || len(runs) != 4 {
			t.Fatalf("%s: %d runs, error %v", database, len(runs), err)
		}
		if runs[0].IOsPerGet.String() != smallest {
			t.Errorf("%s: %s I/Os per Get with the smallest cache", database, runs[0].IOsPerGet)
		}
		for _, r := range runs {
			if r.Database != database || r.CacheMiB == 0 || len(r.HitRates) != 5 {
				t.Errorf("%s: %+v", database, r)
			}
		}
	}
	if runs, err := Reads("tiny"); err != nil || len(runs) != 0 {
		t.Errorf("an unknown database has %d runs, error %v", len(runs), err)
	}
}

func TestProtocolFor(t *testing.T) {
	for mib, shards := range map[int64]int{1: 4, 452: 4, 511: 4, 512: 128, 22500: 128} {
		p, err := ProtocolFor(mib << 20)
		if err != nil || p != (Protocol{Shards: shards, Threads: 64, KeysPerWarmupGet: 2000, Gets: 10_000_000}) {
			t.Errorf("%d MiB: %+v, error %v", mib, p, err)
		}
	}
}

func TestParseErrorsNameFileAndLine(t *testing.T) {
	lines, err := parse("x.csv", "a,b\n1,2\n3,four\n")
	require.NoError(t, err)
	err = lines[1].integers(map[string]*int64{"b": new(int64)})
	assert.ErrorContains(t, err, "published/x.csv, line 3, b")
	_, err = lines[1].figure("b")
	assert.ErrorContains(t, err, "published/x.csv, line 3, b")
	_, err = parse("x.csv", "a,b\n1\n")
	assert.Error(t, err, "a line that is too short was accepted")
}

func TestClaims(t *testing.T) {
	all, err := readClaims()
	if err != nil || len(all) < 4 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, c := range all {
		if c.Design == "" || c.Reads == "" {
			t.Errorf("incomplete claim %+v", c)
		}
	}
	if c, ok, err := ClaimFor("triedb", "account"); err != nil || !ok || c.Design != "paged trie" || c.Reads != "8, even 4" {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	if c, ok, err := ClaimFor("geth", "hash"); err != nil || !ok || c.Reads != "50" {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	if c, ok, err := ClaimFor("geth", "path"); err != nil || ok {
		t.Errorf("%+v, %v, %v", c, ok, err)
	}
	if c, ok, err := ClaimFor("nomt", "blake3"); err != nil || ok {
		t.Errorf("%+v, %v", c, err)
	}
}
