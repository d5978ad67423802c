package cell

import (
	"errors"
	"fmt"
	"time"

	"getio/record"
	"getio/statedb"
)

// State is what a cell of compare-state measures: a state database, with one number of keys.
type State struct {
	// Label is NAME or NAME:CONFIGURATION.
	Label string `json:"label"`
	// Command is that of --adapter, as it was given; absent for stores that getio knows.
	Command []string        `json:"command,omitempty"`
	Options []string        `json:"options,omitempty"` // that the adapter is given
	Adapter statedb.Adapter `json:"adapter"`           // without options and statistics
	statedb.Question
	// DiskBytes is the size of the private disk (--size); absent: by the number of keys.
	DiskBytes int64 `json:"disk_bytes,omitempty"`
	// Timeout is how long the adapter may be silent (--timeout); absent: the default of each request.
	Timeout time.Duration `json:"timeout_ns,omitempty"`
}

// check refuses a state that no plan can have.
func (s *State) check() error {
	switch {
	case s.Label == "" || s.Adapter.Name == "":
		return errors.New("does not name its store and adapter")
	case s.Keys == 0 || s.Lookups == 0:
		return errors.New("does not say how many keys and lookups")
	case s.Counted != record.CountedOutside && s.Counted != record.CountedInside:
		return fmt.Errorf("counts reads %.40q", s.Counted)
	}
	return nil
}
