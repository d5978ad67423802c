package statedb

import "getio/workload/dataset"

// records are the keys and values of a store.
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
