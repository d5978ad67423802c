package chaindata

// FlatGenerator is the RLP value of SnapshotGenerator: the progress of generating flat state
// from the tries (journalGenerator in triedb/pathdb/journal.go and
// core/state/snapshot/journal.go).
type FlatGenerator struct {
	Wiping, Done             bool
	Marker                   []byte // last account or slot generated; empty once done
	Accounts, Slots, Storage uint64
}
