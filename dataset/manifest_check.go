package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Validate returns nil for a manifest of a dataset that can exist, and otherwise
// says in part of a sentence what is wrong with it. Read and Write call it.
func (m *Manifest) Validate() error {
	if m.Schema != Schema {
		return fmt.Errorf("schema %q is not the %q that this getio knows", m.Schema, Schema)
	}
	for _, check := range []func() error{m.checkData, m.checkDatabase, m.checkLoad} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manifest) checkData() error {
	if err := checkKeyspace(m.Keyspace, m.Keys); err != nil {
		return err
	}
	if err := checkValues(m.Values, m.ValueSize); err != nil {
		return err
	}
	return checkOrder(m.Order)
}

func (m *Manifest) checkDatabase() error {
	if m.Build != "" && m.Build != BuildShaped && m.Build != BuildVirtual {
		return fmt.Errorf("build %q is neither %q nor %q", m.Build, BuildShaped, BuildVirtual)
	}
	if m.Engine == "" {
		return errors.New("no engine is named")
	}
	if m.DB != "" && !filepath.IsLocal(m.DB) {
		return fmt.Errorf("database directory %q is not below the dataset's own", m.DB)
	}
	return nil
}

func (m *Manifest) checkLoad() error {
	if m.Batch < 0 {
		return fmt.Errorf("batch of %d keys is negative", m.Batch)
	}
	if !m.Complete && !m.Finished.IsZero() {
		return errors.New("load is finished but not complete")
	}
	p := m.Progress
	if p == nil {
		return nil
	}
	if m.Complete {
		return errors.New("load is complete but still in progress")
	}
	if p.Durable > p.Horizon || p.Horizon > m.Keys {
		return fmt.Errorf("progress of %d durable keys up to a horizon of %d is impossible with %d keys", p.Durable, p.Horizon, m.Keys)
	}
	return nil
}
