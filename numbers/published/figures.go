package published

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
		mib, err := line.integer("cache_mib")
		if err != nil {
			return nil, err
		}
		r := Read{Database: database, Config: line["cache_config"], CacheMiB: mib, HitRates: map[string]json.Number{}}
		if r.Protocol, err = ProtocolFor(mib << 20); err != nil {
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
		var n [5]int64
		for i, column := range []string{"cache_from_mib", "cache_shards", "reader_threads", "keys_per_warmup_get", "gets"} {
			if n[i], err = line.integer(column); err != nil {
				return p, err
			}
		}
		if cacheBytes >= n[0]<<20 {
			p = Protocol{Shards: int(n[1]), Threads: int(n[2]), KeysPerWarmupGet: n[3], Gets: n[4]}
		}
	}
	return p, err
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

func (l line) integer(column string) (int64, error) {
	n, err := strconv.ParseInt(l[column], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s, %s: %w", l[""], column, err)
	}
	return n, nil
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

// readClaims reads claims.csv.
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
	for column, to := range map[string]*int64{
		"keys": &m.Keys, "tables": &m.Tables, "first_level": &m.FirstLevel, "last_level": &m.LastLevel,
		"first_level_bytes": &m.FirstLevelBytes, "last_level_bytes": &m.LastLevelBytes,
	} {
		if *to, err = lines[0].integer(column); err != nil {
			return m, err
		}
	}
	for column, to := range map[string]*float64{
		"filter_plus_top_index_share": &m.FilterTopShare, "filter_plus_all_index_share": &m.FilterIndexShare,
	} {
		figure, err := lines[0].figure(column)
		if err != nil {
			return m, err
		}
		if *to, err = figure.Float64(); err != nil {
			return m, err
		}
	}
	return m, nil
}
