package engine

import (
	"fmt"

	"getio/engine/lsm"
	"getio/numbers/units"
	"getio/workload/dataset"
)

// LevelsOf returns the levels of a tree, as manifests of datasets list them.
func LevelsOf(s *lsm.Shape) (levels []dataset.Level) {
	for _, l := range s.Levels {
		levels = append(levels, dataset.Level{Level: l.Level, Tables: l.Tables, Bytes: l.Bytes})
	}
	return levels
}

// CheckContents holds a database against its dataset: all keys must be in it. A natural load may
// hold more records, as resumed loads and updates write keys again. A truncated MANIFEST, which
// the libraries take for the end of one, shows in this.
func CheckContents(dir string, m *dataset.Manifest, s Store) error {
	total, log := s.Shape().Total(), s.Info().WALKeys
	if total.Tables > 0 && total.Records == 0 {
		return nil // LevelDB's tables do not say how many records they hold
	}
	held := uint64(total.Records + log)
	if held == m.Keys || held > m.Keys && m.Build == "" {
		return nil
	}
	return fmt.Errorf("%s holds %s, but %s says %s: the database or this file is damaged, restore it from a copy, or load the dataset again",
		dir, units.Plural(int64(held), "record"), dataset.ManifestName, units.Plural(int64(m.Keys), "key"))
}
