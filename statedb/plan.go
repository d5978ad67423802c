package statedb

import (
	"slices"
	"time"

	"getio/record"
	"getio/statedb/counter"
	"getio/system/machine"
	"getio/workload/dataset"
)

// Question is what is written to a store and looked up in it.
type Question struct {
	Keys      uint64 `json:"keys"`       // to load
	Values    string `json:"values"`     // kind, as in a dataset
	ValueSize int    `json:"value_size"` // of each value
	Seed      uint64 `json:"seed"`       // of keys and values
	// Lookups is the number of lookups of each kind with an empty page cache.
	Lookups int `json:"lookups"`
	// Shares are budgets of memory and page cache together, as shares of the store's bytes.
	Shares []float64 `json:"budgets,omitempty"`
	// Overwrite are shares of the keys, ascending, after whose overwriting cold lookups are made again.
	Overwrite []float64 `json:"overwrite,omitempty"`
	// Counted is "outside", which needs root, or "inside": then stores lie in a directory, and only the engines' own
	// counts are known.
	Counted string `json:"counted"`
}

func (q *Question) outside() bool { return q.Counted == record.CountedOutside }

// Plan is how to measure stores.
type Plan struct {
	Question
	// Place is where the private disk, or the directory of a store whose reads are counted inside, takes
	// its space. Its size follows from the workload, unless Bytes is set.
	Place counter.Place
	// Timeout is how long an adapter may be silent; 0 takes the default of each request.
	Timeout  time.Duration
	Progress func(phase string, done, total uint64, unit string)
}

func (p *Plan) describe(s Store) *record.State {
	return &record.State{
		Schema: record.StateSchema, Label: s.Name, Command: s.Command, AdapterOptions: s.Options, Lookups: p.Lookups,
		Keys: p.Keys, KeySize: dataset.KeySize, Keyspace: dataset.KeyspaceKeccak, Values: p.Values, ValueSize: p.ValueSize, Seed: p.Seed,
		Counted: p.Counted, Environment: record.ThisMachine(),
	}
}

// otherMemory is what getio and an adapter take besides caches and what the store keeps of each key.
const otherMemory = 256 << 20

// Memory is what measuring a store is expected to need: as was measured of stores that getio knows, and of others
// the caches of the load, and what the adapter says of itself.
func (p *Plan) Memory(s Store, a *Adapter) int64 {
	m := s.Memory
	if m == (Memory{}) {
		m = Memory{Bytes: machine.CacheMemory(loadCacheBytes) + otherMemory, PerKey: a.MemoryPerKey}
		for _, c := range a.Caches {
			m.Bytes += int64(c.Least)
		}
	}
	if len(p.Overwrite) > 0 {
		m.PerKey += 1. / 8 // which keys were overwritten
	}
	return m.Bytes + int64(m.PerKey*float64(p.Keys))
}

// Disk is the size of a store's private disk: what the user wants, or what the store takes
// while it is loaded and its largest file is rewritten. Unknown stores get eight times their
// records, which is enough for most that keep hashes of all nodes.
func (p *Plan) Disk(s Store) int64 {
	if p.Place.Bytes > 0 {
		return p.Place.Bytes
	}
	perKey := s.DiskPerKey
	if perKey == 0 {
		perKey = 8 * int64(dataset.KeySize+p.ValueSize)
	}
	for _, share := range p.Overwrite {
		perKey += int64(share * float64(perKey)) // old versions may stay
	}
	return int64(p.Keys)*perKey + leastDisk
}

// leastDisk is the size of the private disk of a store that is almost empty. Tests reduce it.
var leastDisk int64 = 1 << 30

// Matches reports whether a record is the result of measuring the store by this plan.
func (p *Plan) Matches(r *record.State, s Store) bool {
	want := p.describe(s)
	return r.Schema == record.StateSchema && r.Label == s.Name && slices.Equal(r.Command, s.Command) &&
		slices.Equal(r.AdapterOptions, s.Options) && r.Checks.Hold() &&
		r.Keys == want.Keys && r.Values == want.Values && r.ValueSize == want.ValueSize && r.Seed == want.Seed &&
		r.Lookups == want.Lookups && r.OpeningLookups > 0 && r.Counted == want.Counted && slices.Equal(p.Shares, shares(r)) &&
		slices.EqualFunc(p.Overwrite, r.Worn, func(share float64, w record.StateWorn) bool { return share == w.Share })
}

func shares(r *record.State) (all []float64) {
	if len(r.Rows) == 0 {
		return nil
	}
	for _, b := range r.Rows[0].Budgets {
		all = append(all, b.Share)
	}
	return all
}

type records struct {
	keys        dataset.Keyspace
	values      *dataset.Values
	overwritten numbers // of keys that have other values since the load
}

func (p *Plan) records() (r records, err error) {
	if r.keys, err = dataset.NewKeyspace(dataset.KeyspaceKeccak, p.Keys, p.Seed); err != nil {
		return r, err
	}
	r.values, err = dataset.NewValues(p.Values, p.ValueSize, p.Seed)
	return r, err
}

// numbers is a set of numbers of keys, one bit each.
type numbers []uint64

func newNumbers(n uint64) numbers { return make(numbers, (n+63)/64) }

func (s numbers) add(n uint64) { s[n/64] |= 1 << (n % 64) }

func (s numbers) has(n uint64) bool { return len(s) > 0 && s[n/64]>>(n%64)&1 == 1 }
