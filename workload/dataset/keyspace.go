package dataset

import "fmt"

// KeySize is the length in bytes of every key that getio writes.
const KeySize = 32

// Kinds of key space in NewKeyspace and the manifest.
const (
	// KeyspaceKeccak hashes the key number as the published tool does, so that its
	// databases can be measured. It has no seed, and sorting its keys is expensive.
	KeyspaceKeccak = "keccak"
	// KeyspaceStratified draws one random key from each of N equal parts of the key
	// space. Its keys are sorted by number.
	KeyspaceStratified = "stratified"
)

// Keyspaces lists the kinds of key space.
var Keyspaces = []string{KeyspaceKeccak, KeyspaceStratified}

// maxKeccakKeys reserves the upper half of the key numbers for absent keys.
const maxKeccakKeys = 1 << 63

// Keyspace maps the key numbers 0..Len()-1 to distinct keys. It is safe for
// concurrent use and allocates nothing per key.
type Keyspace interface {
	// Kind returns the kind, as passed to NewKeyspace.
	Kind() string
	// Len returns the number of keys.
	Len() uint64
	// Key writes key number i to dst; i must be below Len.
	Key(i uint64, dst *[KeySize]byte)
	// Absent writes to dst a key of the same form that does not exist. r selects the key
	// and may be any number.
	Absent(r uint64, dst *[KeySize]byte)
}

// Ascending is a Keyspace whose keys ascend with their numbers.
type Ascending interface {
	Keyspace
	// Place returns the number of the first key that is not before the given one, or Len
	// if there is none.
	Place(key []byte) uint64
}

// NewKeyspace returns the key space of the given kind with n keys. Kinds without a seed ignore it.
func NewKeyspace(kind string, n, seed uint64) (Keyspace, error) {
	if err := checkKeyspace(kind, n); err != nil {
		return nil, err
	}
	if kind == KeyspaceKeccak {
		return newKeccak(n), nil
	}
	return newStratified(n, seed), nil
}

// checkKeyspace returns the error that NewKeyspace would return.
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
