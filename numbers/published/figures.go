// Package published holds the published figures that getio is compared with, most of them from a study
// of Pebble v1.1.5. README.md says where each file comes from.
package published

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// shapes has the levels of the study's three trees.
//
//go:embed shapes.csv
var shapes string

//go:embed reads.csv
var reads string

//go:embed protocol.csv
var protocol string

//go:embed mainnet.csv
var mainnet string

// accounts has replays of a block that asks a mainnet database for accounts.
//
//go:embed accounts.csv
var accounts string

//go:embed claims.csv
var claims string

// Read is one run of the study: random Gets on one of its databases with one cache size.
// Figures keep their printed digits.
type Read struct {
	Database string `json:"database"`     // "small", "medium" or "large"
	Config   string `json:"cache_config"` // what the study calls the cache size
	CacheMiB int64  `json:"cache_mib"`    // cache size
	Protocol
	IOsPerGet json.Number `json:"ios_per_get"` // with the published digits
	// HitRates are of "filter", "top_index", "index", "data" and "block_cache", with the published digits.
	HitRates map[string]json.Number `json:"hit_rates"`
}

// Protocol holds the parameters of the study's runs with one cache size.
type Protocol struct {
	Shards           int   `json:"shards"`              // of the block cache
	Threads          int   `json:"threads"`             // that read
	KeysPerWarmupGet int64 `json:"keys_per_warmup_get"` // keys of the database per warm-up Get
	Gets             int64 `json:"gets"`                // after the warm-up
}

// Reads returns the runs on a database, sorted by cache size.
func Reads(database string) ([]Read, error) {
	lines, err := parse("reads.csv", reads)
	if err != nil {
		return nil, err
	}
	var runs []Read
	for _, line := range lines {
		if line["dataset"] != database {
			continue
		}
		r := Read{Database: database, Config: line["cache_config"], HitRates: map[string]json.Number{}}
		if err := line.integers(map[string]*int64{"cache_mib": &r.CacheMiB}); err != nil {
			return nil, err
		}
		if r.Protocol, err = ProtocolFor(r.CacheMiB << 20); err != nil {
			return nil, err
		}
		if r.IOsPerGet, err = line.figure("ios_per_get"); err != nil {
			return nil, err
		}
		for _, of := range []string{"filter", "top_index", "index", "data", "block_cache"} {
			if r.HitRates[of], err = line.figure(of + "_hit"); err != nil {
				return nil, err
			}
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b Read) int { return cmp.Compare(a.CacheMiB, b.CacheMiB) })
	return runs, nil
}

// ProtocolFor returns the protocol of runs with a cache of the given size.
func ProtocolFor(cacheBytes int64) (p Protocol, err error) {
	lines, err := parse("protocol.csv", protocol)
	for _, line := range lines {
		var from, shards, threads, keys, gets int64
		if err := line.integers(map[string]*int64{
			"cache_from_mib": &from, "cache_shards": &shards, "reader_threads": &threads, "keys_per_warmup_get": &keys, "gets": &gets,
		}); err != nil {
			return p, err
		}
		if cacheBytes >= from<<20 {
			p = Protocol{Shards: int(shards), Threads: int(threads), KeysPerWarmupGet: keys, Gets: gets}
		}
	}
	return p, err
}

// Level holds the figures of a level of one of the study's trees that it printed in full.
type Level struct {
	Keys               int64 // of the tree
	Tables, DataBlocks int64
}

// Levels returns all levels of a database of the study, L0 first; none if it has no such database.
func Levels(database string) (levels []Level, err error) {
	lines, err := parse("shapes.csv", shapes)
	for _, line := range lines {
		if line["dataset"] != database || line["level"] == "TOTAL" {
			continue
		}
		var l Level
		if err := line.integers(map[string]*int64{"keys": &l.Keys, "tables": &l.Tables, "data_blocks": &l.DataBlocks}); err != nil {
			return nil, err
		}
		levels = append(levels, l)
	}
	return levels, err
}

// line is a row of a data file, by column name.
type line map[string]string

func parse(file, content string) ([]line, error) {
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("published/%s cannot be read: %w", file, err)
	}
	lines := make([]line, len(rows)-1)
	for i, cells := range rows[1:] {
		lines[i] = line{"": fmt.Sprintf("published/%s, line %d", file, i+2)}
		for j, name := range rows[0] {
			lines[i][name] = cells[j]
		}
	}
	return lines, nil
}

// integers parses columns, each into its variable.
func (l line) integers(columns map[string]*int64) (err error) {
	for column, to := range columns {
		if *to, err = strconv.ParseInt(l[column], 10, 64); err != nil {
			return fmt.Errorf("%s, %s: %w", l[""], column, err)
		}
	}
	return nil
}

// floats parses columns, each into its variable.
func (l line) floats(columns map[string]*float64) (err error) {
	for column, to := range columns {
		if *to, err = strconv.ParseFloat(l[column], 64); err != nil {
			return fmt.Errorf("%s, %s: %w", l[""], column, err)
		}
	}
	return nil
}

func (l line) figure(column string) (json.Number, error) {
	if _, err := strconv.ParseFloat(l[column], 64); err != nil {
		return "", fmt.Errorf("%s, %s: %w", l[""], column, err)
	}
	return json.Number(l[column]), nil
}

// Claim is a published claim about the reads per lookup of a store design.
type Claim struct {
	Stores []string // names of the engines and adapters with this design; may be empty
	Design string
	Reads  string // in the words of the claim
}

func readClaims() (all []Claim, err error) {
	lines, err := parse("claims.csv", claims)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		all = append(all, Claim{strings.Fields(line["stores"]), line["design"], line["claim"]})
	}
	return all, nil
}

// ClaimFor returns the claim for a configuration of a store, or for the store in all its
// configurations, if there is one.
func ClaimFor(store, configuration string) (claim Claim, ok bool, err error) {
	all, err := readClaims()
	i := slices.IndexFunc(all, func(c Claim) bool {
		return slices.Contains(c.Stores, store) || slices.Contains(c.Stores, store+":"+configuration)
	})
	if err != nil || i < 0 {
		return Claim{}, false, err
	}
	return all[i], true, nil
}

// Mainnet holds the published figures of an Ethereum mainnet node's database.
type Mainnet struct {
	Keys, Tables                     int64
	FirstLevel, LastLevel            int64
	FirstLevelBytes, LastLevelBytes  int64
	FilterTopShare, FilterIndexShare float64 // of all bytes: IP1 and IP2
}

// MainnetSample reads mainnet.csv.
func MainnetSample() (m Mainnet, err error) {
	lines, err := parse("mainnet.csv", mainnet)
	if err != nil {
		return m, err
	}
	if err := lines[0].integers(map[string]*int64{
		"keys": &m.Keys, "tables": &m.Tables, "first_level": &m.FirstLevel, "last_level": &m.LastLevel,
		"first_level_bytes": &m.FirstLevelBytes, "last_level_bytes": &m.LastLevelBytes,
	}); err != nil {
		return m, err
	}
	return m, lines[0].floats(map[string]*float64{
		"filter_plus_top_index_share": &m.FilterTopShare, "filter_plus_all_index_share": &m.FilterIndexShare,
	})
}

// AccountReads is a replay that read accounts of a mainnet database, of which no page was in memory.
type AccountReads struct {
	Accounts, TableBytes                     int64   // of the database; the mean
	EntriesPerBlock, BlockBytes, RecordBytes float64 // of data blocks in the file, and their records uncompressed
	AccountsRead, DiskReadBytes              int64
}

// ReplayedAccounts reads accounts.csv.
func ReplayedAccounts() (all []AccountReads, err error) {
	lines, err := parse("accounts.csv", accounts)
	for _, line := range lines {
		var r AccountReads
		if err := line.integers(map[string]*int64{
			"accounts": &r.Accounts, "table_bytes": &r.TableBytes, "accounts_read": &r.AccountsRead, "disk_read_bytes": &r.DiskReadBytes,
		}); err != nil {
			return nil, err
		}
		if err := line.floats(map[string]*float64{
			"entries_per_block": &r.EntriesPerBlock, "block_bytes": &r.BlockBytes, "record_bytes": &r.RecordBytes,
		}); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, err
}
