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
	Database string `json:"database"`     // small | medium | large
	Config   string `json:"cache_config"` // what the study calls the cache size
	CacheMiB int64  `json:"cache_mib"`
	Protocol
	IOsPerGet json.Number `json:"ios_per_get"`
	// HitRates holds the hit rates of filter, top_index, index and data, and the overall
	// one as block_cache.
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
