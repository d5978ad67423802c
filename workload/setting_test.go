package workload

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/workload/popularity"
)

// TestSettings sets each flag, and compares the workload and what is said of it.
func TestSettings(t *testing.T) {
	for _, c := range []struct {
		flag, value                     string
		want                            Workload
		text, identity, line, fact, bad string
	}{
		{"scan", "1k", Workload{Operation: Operation{Scan, 1000}}, "scans of 1,000 keys", "", "operation: scan", "each of 1,000 keys in order", "0"},
		{"multiget", "1", Workload{Operation: Operation{Multiget, 1}}, "batches of 1 key", "", "operation: multiget", "each of 1 key looked up together by an iterator", "10001"},
		{"trace", "a.trace", Workload{Keys: Keys{Files: Files{Trace: "a.trace"}}}, "a.trace", "", "trace: a.trace", "", ""},
		{"zipf", "0.99", Workload{Keys: Keys{Popularity: popularity.Popularity{Zipf: 0.99}}}, "Zipf 0.99", "", "popularity: Zipf 0.99", "", "11"},
		{"hotset", "1%:90%", Workload{Keys: Keys{Popularity: popularity.Popularity{Hotset: popularity.Hotset{Keys: 0.01, Gets: 0.9}}}}, "1% of the keys get 90% of the Gets", "", "popularity: 1% of the keys get 90% of the Gets", "", "0%:1%"},
		{"absent", "12.3456%", Workload{Keys: Keys{Absent: 0.123456}}, "12.3% absent keys", "12.3456% of the keys absent", ": ", "", "0.5"},
		{"keys-file", "hot", Workload{Keys: Keys{Files: Files{KeysFile: "hot"}}}, "hot", "", "keys-file: hot", "", ""},
		{"seed", "7", Workload{Keys: Keys{Seed: 7}}, "", "", ": ", "", "-1"},
		{"rate", "20k", Workload{Rate: 20_000}, "20,000 Gets due per second", "", "rate: 20000", "", "100M"},
		{"workers", "4", Workload{Workers: 4}, "4 workers", "", ": ", "", "5000"},
		{"warmup", "0.05%", Workload{Warmup: Warmup{fraction: 0.0005}}, "warm-up 0.05%", "", ": ", "", "-5"},
		{"warmup", "auto", Workload{Warmup: AutoWarmup}, "", "", ": ", "", ""},
		{"gets", "10M", Workload{Gets: 10_000_000}, "", "", ": ", "", "0"},
	} {
		var w Workload
		flags := Flags(w.Settings(), c.flag)
		require.Len(t, flags, 1, c.flag)
		require.NoError(t, flags[0].Set(c.value), c.flag)
		assert.Equal(t, c.want, w, c.flag)
		if c.bad != "" {
			assert.Error(t, flags[0].Set(c.bad), c.flag)
		}
		for _, s := range w.Settings() {
			if len(Flags([]Setting{s}, c.flag)) > 0 {
				assert.Equal(t, []string{c.text, c.identity, c.line, c.fact}, []string{s.Text, s.Identity, s.Key + ": " + s.Value, s.Fact}, c.flag)
			}
		}
	}
}

// TestFilesAreComparedByContent: the gate compares files by their hashes, and of a trace also how many operations were made; from which on, the warm-up says.
func TestFilesAreComparedByContent(t *testing.T) {
	identities := func(w Workload) (all []string) {
		for _, s := range w.Settings() {
			if s.Identity != "" {
				all = append(all, s.Identity)
			}
		}
		return all
	}
	const hash = "0123456789abcdef"
	assert.Equal(t, []string{"keys file 0123456789ab"}, identities(Workload{Keys: Keys{Files: Files{KeysFile: "k", KeysSHA256: hash}}}))
	assert.Equal(t, []string{"trace 0123456789ab", "1,234 operations"},
		identities(Workload{Keys: Keys{Files: Files{Trace: "t", TraceSHA256: hash}}, Warmup: WarmupGets(500), Gets: 1234}))
}

// TestConflicts: these flags exclude each other, whichever comes first.
func TestConflicts(t *testing.T) {
	excluded := map[string][]string{
		"trace": {"scan", "multiget", "zipf", "hotset", "absent", "keys-file"},
		"time":  {"scan", "multiget", "trace", "rate", "warmup", "gets"},
		"scan":  nil, "multiget": {"scan"}, "seed": nil,
	}
	settings := new(Workload).Settings()
	for other, names := range excluded {
		assert.Equal(t, names, Excluding(settings, other))
		for _, f := range Flags(settings) {
			err := Conflict(settings, func(name string) bool { return name == other || name == f.Name })
			if slices.Contains(names, f.Name) {
				assert.EqualError(t, err, "--"+f.Name+" cannot be combined with --"+other+": leave one out")
			}
		}
	}
	assert.NoError(t, Keys{Seed: 1, Files: Files{Trace: "t"}}.Check())
	assert.ErrorContains(t, Keys{Absent: 0.1, Files: Files{Trace: "t"}}.Check(), "--absent cannot be combined with --trace")
}
