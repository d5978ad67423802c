// Package chaindata describes what geth keeps in its key-value store and in the freezer beside it:
// the category of each key, the scheme of the state tries, and the size of the freezer's tables.
//
// The facts are those of go-ethereum 1.17.10 (core/rawdb: schema.go, database.go,
// freezer_table.go); categories are named as in geth's own inspection.
package chaindata

import (
	"bytes"
	"encoding/binary"
	"slices"

	"golang.org/x/crypto/sha3"

	"getio/engine"
)

// Category is the kind of data stored under a key.
type Category string

// The categories, named as geth's inspection names them.
const (
	Headers            Category = "Headers"
	Bodies             Category = "Bodies"
	Receipts           Category = "Receipt lists"
	Difficulties       Category = "Difficulties (deprecated)"
	NumberToHash       Category = "Block number->hash"
	HashToNumber       Category = "Block hash->number"
	AccessLists        Category = "Block accessList"
	Transactions       Category = "Transaction index"
	FilterMapRows      Category = "Log index filter-map rows"
	FilterMapLastBlock Category = "Log index last-block-of-map"
	FilterMapBlockLV   Category = "Log index block-lv"
	BloomBits          Category = "Log bloombits (deprecated)"
	Codes              Category = "Contract codes"
	HashNodes          Category = "Hash trie nodes"
	StateIDs           Category = "Path trie state lookups"
	AccountNodes       Category = "Path trie account nodes"
	StorageNodes       Category = "Path trie storage nodes"
	VerkleNodes        Category = "Verkle trie nodes"
	VerkleStateIDs     Category = "Verkle trie state lookups"
	Preimages          Category = "Trie preimages"
	FlatAccounts       Category = "Account snapshot"
	FlatStorage        Category = "Storage snapshot"
	StateHistory       Category = "Historical state index"
	TrieHistory        Category = "Historical trie index"
	BeaconHeaders      Category = "Beacon sync headers"
	CliqueSnapshots    Category = "Clique snapshots"
	Metadata           Category = "Singleton metadata"
	Unaccounted        Category = "Unaccounted"
)

const hashLen, numberLen = 32, 8

// rule selects the keys of a category by prefix, suffix and length. The first rule that fits
// a key applies.
type rule struct {
	category       Category
	prefix, suffix string
	least, most    int
}

// exactly is a rule for keys with the given number of bytes after the prefix.
func exactly(c Category, prefix string, rest int) rule {
	return rule{category: c, prefix: prefix, least: len(prefix) + rest, most: len(prefix) + rest}
}

const unbounded = 1 << 30

// rules are indexed by the first byte of their prefix. (database.go, InspectDatabase)
var rules = byFirst([]rule{
	exactly(Headers, "h", numberLen+hashLen),
	exactly(Bodies, "b", numberLen+hashLen),
	exactly(Receipts, "r", numberLen+hashLen),
	{Difficulties, "h", "t", 1 + numberLen + hashLen + 1, 1 + numberLen + hashLen + 1},
	{NumberToHash, "h", "n", 1 + numberLen + 1, 1 + numberLen + 1},
	exactly(HashToNumber, "H", hashLen),
	exactly(AccessLists, "j", numberLen+hashLen),
	exactly(StateIDs, "L", hashLen),
	// Paths have one nibble per byte. The longest path leads to a leaf, which is never
	// stored on its own.
	{AccountNodes, "A", "", 1, 2 * hashLen},
	{StorageNodes, "O", "", 1 + hashLen, 3 * hashLen},
	exactly(Codes, "c", hashLen),
	exactly(Transactions, "l", hashLen),
	exactly(FlatAccounts, "a", hashLen),
	exactly(FlatStorage, "o", 2*hashLen),
	exactly(Preimages, "secure-key-", hashLen),
	exactly(Metadata, "ethereum-config-", hashLen),
	exactly(Metadata, "ethereum-genesis-", hashLen),
	exactly(BeaconHeaders, "S", numberLen),
	exactly(CliqueSnapshots, "clique-", hashLen),
	{FilterMapRows, "fm-r", "", 4, 4 + 9},
	exactly(FilterMapLastBlock, "fm-b", 4),
	exactly(FilterMapBlockLV, "fm-p", 8),
	exactly(BloomBits, "B", 10+hashLen),
	{BloomBits, "iB", "", 2, 2 + 8 - 1},
	exactly(StateHistory, "ma", hashLen),
	exactly(StateHistory, "ms", 2*hashLen),
	exactly(StateHistory, "mba", hashLen+4),
	exactly(StateHistory, "mbs", 2*hashLen+4),
	{TrieHistory, "mt", "", 2 + hashLen, unbounded},
	{TrieHistory, "mbt", "", 3 + hashLen + 4, unbounded},
	{VerkleNodes, "vA", "", 2, 1 + 2*hashLen},
	exactly(VerkleStateIDs, "vL", hashLen),
}, singletons)

// singletons are keys with a single entry. (database.go, InspectDatabase and knownMetadataKeys)
var singletons = []string{
	"vLastStateID", "vTrieJournal", "vSnapSyncStatus", "DatabaseVersion", "LastHeader", "LastBlock", "LastFast", "LastFinalized", "LastPivot", "TrieSync",
	"SnapshotDisabled", "SnapshotRoot", "SnapshotJournal", "SnapshotGenerator", "SnapshotRecovery", "TransactionIndexTail",
	"FastTransactionLookupLimit", "unclean-shutdown", "InvalidBlock", "eth2-transition", "SkeletonSyncStatus", "LastStateID",
	"TrieJournal", "SnapshotSyncStatus", "SnapSyncStatus", "fm-R", "LastStateHistoryIndex", "LastTrienodeHistoryIndex",
	"verkle-transition-state-",
}

func byFirst(list []rule, singletons []string) (first [256][]rule) {
	for _, key := range singletons {
		list = append(list, exactly(Metadata, key, 0))
	}
	for _, r := range list {
		first[r.prefix[0]] = append(first[r.prefix[0]], r)
	}
	return first
}

// CategoryOf returns the category of a key. The value decides where a key may be a hash.
func CategoryOf(key, value []byte) Category {
	if len(key) == 0 {
		return Unaccounted
	}
	// The key of a hash trie node is the hash of its value. Test this first: the first byte
	// of a hash means nothing.
	if len(key) == hashLen && bytes.Equal(key, keccak256(value)) {
		return HashNodes
	}
	first := rules[key[0]]
	for i := range first {
		if first[i].fits(key) {
			return first[i].category
		}
	}
	return Unaccounted
}

func (r *rule) fits(key []byte) bool {
	return len(key) >= r.least && len(key) <= r.most &&
		string(key[:len(r.prefix)]) == r.prefix && string(key[len(key)-len(r.suffix):]) == r.suffix
}

func keccak256(value []byte) []byte {
	h := sha3.NewLegacyKeccak256()
	h.Write(value)
	return h.Sum(nil)
}

// BlockOf returns the number of the block that an entry belongs to: those indexed by block
// number or block hash, and transaction lookups. ok is false for all other entries.
// (core/rawdb: accessors_chain.go, accessors_indexes.go)
func BlockOf(key, value []byte) (number uint64, ok bool) {
	switch CategoryOf(key, value) {
	case Headers, Bodies, Receipts, Difficulties, NumberToHash, AccessLists:
		return binary.BigEndian.Uint64(key[1:]), true
	case HashToNumber, Transactions: // the latter without leading zeros
		if len(value) > numberLen {
			return 0, false // written by an old schema
		}
		for _, b := range value {
			number = number<<8 | uint64(b)
		}
		return number, true
	}
	return 0, false
}

// FlatGenerator is the RLP value of SnapshotGenerator: the progress of generating flat state from
// the tries (journalGenerator in triedb/pathdb/journal.go and core/state/snapshot/journal.go).
type FlatGenerator struct {
	Wiping, Done             bool
	Marker                   []byte // last account or slot generated; empty once done
	Accounts, Slots, Storage uint64
}

// Below is where geth, its forks bsc and op-geth, and 'getio chain build' keep the database in their directories.
var Below = []string{"chaindata", "geth/chaindata"}

// AncientDir is geth's default freezer directory, below the key-value store.
const AncientDir = "ancient"

// SchemaVersion is the newest version of the schema, which go-ethereum 1.17 writes. It reads older ones too.
// (core/blockchain.go, BlockChainVersion)
const SchemaVersion = 9

// headHeader exists in every chaindata directory.
const headHeader = "LastHeader"

// Recognise reports whether geth, or a fork of it, wrote an open database.
func Recognise(db engine.DB) (bool, error) {
	_, found, err := db.Get([]byte(headHeader), nil)
	return found, err
}

// KeyRule selects the keys of a category by their length and their first eight bytes alone, for
// who sees keys without values. The first of KeyRules that fits a key applies.
type KeyRule struct {
	Category Category
	// A key fits if its first eight bytes, as a big-endian number, are Value where Mask has ones. A
	// shorter key has zeros behind it.
	Value, Mask uint64
	Least, Most int // of the length in bytes
}

// pathMask has ones where the path of a trie node has zeros: each byte is a nibble.
const pathMask = 0xf0

// KeyRules returns the rules of all categories but Unaccounted. They agree with CategoryOf, except
// that 32 bytes whose first eight fit no other rule are the key of a hash trie node whatever the
// value, and one node in 2^28 whose hash looks like a path is taken for one.
func KeyRules() (all []KeyRule) {
	for _, first := range rules {
		for _, r := range first {
			all = append(all, r.keyRule())
		}
	}
	slices.SortFunc(all, func(a, b KeyRule) int { return slices.Compare(order(a), order(b)) })
	return append(all, KeyRule{Category: HashNodes, Least: hashLen, Most: hashLen})
}

// order sorts rules with more fixed bits first, and makes the order the same in every run.
func order(r KeyRule) []uint64 {
	return []uint64{^r.Mask, r.Value, uint64(r.Least), uint64(r.Most)}
}

func (r *rule) keyRule() KeyRule {
	var value, mask [8]byte
	n := copy(value[:], r.prefix)
	for i := range n {
		mask[i] = 0xff
	}
	if r.category == AccountNodes || r.category == VerkleNodes {
		for i := n; i < len(mask); i++ {
			mask[i] = pathMask
		}
	}
	return KeyRule{
		Category: r.category, Value: binary.BigEndian.Uint64(value[:]), Mask: binary.BigEndian.Uint64(mask[:]),
		Least: r.least, Most: min(r.most, 1<<16),
	}
}

// Fits reports whether the rule selects a key.
func (r *KeyRule) Fits(key []byte) bool {
	var first [8]byte
	copy(first[:], key)
	return len(key) >= r.Least && len(key) <= r.Most && binary.BigEndian.Uint64(first[:])&r.Mask == r.Value
}
