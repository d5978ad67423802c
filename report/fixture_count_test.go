package report

import "getio/record"

var externalCounts = map[string]*record.ExternalCount{
	"copy": {
		Command: []string{"./lookups", "--db", "chaindata", "--keys", "/var/lib/keys/of/a/long/name/all-keys-of-the-state-of-block-21345678.txt", "-n", "1000"},
		Copied:  &record.CopiedTree{Path: "/var/lib/geth/chaindata", Files: 10_840, Bytes: 440_000_000_000}, MemoryLimitBytes: 2 << 30,
		Reads: 1_234_567, Bytes: 1_234_567 * 4096 * 2, Merged: 1017, Seconds: 123.4567,
	},
	"one":     {Command: []string{"cat", "file"}, Copied: &record.CopiedTree{Path: "data", Files: 1, Bytes: 4096}, Reads: 1, Bytes: 4096, Seconds: 0.0042},
	"nothing": {Command: []string{"true"}, Seconds: 0.001},
}
