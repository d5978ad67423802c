package dataset

import "fmt"

// KeySize is the length in bytes of every key that getio writes.
const KeySize = 32

// Kinds of key space, as NewKeyspace and the manifest name them.
const (
	// KeyspaceKeccak hashes the key number as the published tool does, so that
	// its databases can be measured. It has no seed and no cheap key order.
	KeyspaceKeccak = "keccak"
	// KeyspaceStratified draws one key from each of N equal parts of the key
	// space: random keys that come out sorted by their number.
	KeyspaceStratified = "stratified"
)

// maxKeccakKeys leaves the upper half of the index space to absent keys.
const maxKeccakKeys = 1 << 63

// Keyspace maps the key numbers 0..Len()-1 to distinct keys. It is safe for
// concurrent use and allocates nothing per key.
type Keyspace interface {
	// Kind is the name that NewKeyspace knows it by.
	Kind() string
	// Len is the number of keys.
	Len() uint64
	// KeySize is the length of a key in bytes.
	KeySize() int
	// Key writes key number i to dst; i must be below Len.
	Key(i uint64, dst *[KeySize]byte)
	// Absent writes to dst a key of the same form that is none of the Len keys:
	// the one that belongs to r, where any r will do.
	Absent(r uint64, dst *[KeySize]byte)
}

// Ascending is a Keyspace whose keys ascend with their numbers.
type Ascending interface {
	Keyspace
	// Place is how many of the keys come before the given one: the number of the first
	// key from it on, and Len where there is none.
	Place(key []byte) uint64
}

// NewKeyspace returns the key space of the given kind with n keys. The seed
// chooses among the key spaces of a kind that has more than one.
func NewKeyspace(kind string, n, seed uint64) (Keyspace, error) {
	if err := checkKeyspace(kind, n); err != nil {
		return nil, err
	}
	if kind == KeyspaceKeccak {
		return newKeccak(n), nil
	}
	return newStratified(n, seed), nil
}

// checkKeyspace says whether NewKeyspace would succeed.
func checkKeyspace(kind string, n uint64) error {
	switch kind {
	case KeyspaceKeccak:
		if n > maxKeccakKeys {
			return fmt.Errorf("key space %q holds at most 2^63 keys, not %d: use %q", kind, n, KeyspaceStratified)
		}
	case KeyspaceStratified:
	default:
		return fmt.Errorf("unknown key space %q: use %q or %q", kind, KeyspaceKeccak, KeyspaceStratified)
	}
	if n == 0 {
		return fmt.Errorf("key space %q needs at least one key, not 0", kind)
	}
	return nil
}
