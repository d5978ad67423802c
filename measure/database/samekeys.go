package database

import (
	"fmt"
	"slices"

	"getio/workload"
	"getio/workload/dataset"
)

// SameKeys returns an error unless the same seed draws the same keys for both databases: they are
// the same directory, or datasets with the same keys, or the keys come from a file.
func SameKeys(a, b *Database, from workload.Keys) error {
	if from.KeysFile != "" || SameDir(a, b) {
		return nil
	}
	for _, d := range []*Database{a, b} {
		if d.Manifest == nil {
			return fmt.Errorf("%s and %s may hold different keys, since getio did not make %s: list keys of both with --keys-file", a.Dir, b.Dir, d.Dir)
		}
	}
	if what := keysDiffer(a, b); what != "" {
		return fmt.Errorf("%s and %s do not hold the same keys (%s): load both with the same --keys, --keyspace and --seed, and the same tables if they are --shaped or --virtual; or list keys of both with --keys-file", a.Dir, b.Dir, what)
	}
	return nil
}

// SameDir reports whether two databases are one directory.
func SameDir(a, b *Database) bool { return same(a.Info().Dir, b.Info().Dir) }

// keysDiffer returns how the keys of two datasets differ, or "" if they do not.
func keysDiffer(a, b *Database) string {
	m, n := a.Manifest, b.Manifest
	switch {
	case m.Keyspace != n.Keyspace:
		return fmt.Sprintf("%s and %s", m.Keyspace, n.Keyspace)
	case m.Keys != n.Keys:
		return fmt.Sprintf("%d and %d keys", m.Keys, n.Keys)
	case m.Keyspace == dataset.KeyspaceStratified && m.Seed != n.Seed: // keccak has no seed
		return fmt.Sprintf("seeds %d and %d", m.Seed, n.Seed)
	case (m.Tree() == nil) != (n.Tree() == nil):
		return "one has its keys level by level, as shaped and virtual trees do"
	case m.Tree() != nil && !slices.Equal(m.Tree().Tables, n.Tree().Tables):
		return "their trees consist of different tables"
	}
	return ""
}
