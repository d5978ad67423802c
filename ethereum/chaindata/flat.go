package chaindata

// FlatGenerator is the value of the singleton SnapshotGenerator, in RLP: whether all flat
// state has been made of the tries (triedb/pathdb/journal.go and
// core/state/snapshot/journal.go, journalGenerator).
type FlatGenerator struct {
	Wiping, Done             bool
	Marker                   []byte // up to which account or slot it has been, unless it is done
	Accounts, Slots, Storage uint64
}
