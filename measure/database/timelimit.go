package database

import (
	"slices"
	"time"
)

// TimeLimit bounds how long a command takes.
type TimeLimit struct {
	// Until is when the command should end. The zero Time does not bound it.
	Until time.Time
	// ShortIfSmall makes a command without Until end within a minute if its databases are small.
	ShortIfSmall bool
}

// The tables of a small database have at most smallBytes. shortTime leaves some seconds of a minute to open the
// database and to print results.
const (
	smallBytes = 1 << 30
	shortTime  = 50 * time.Second
)

// Of returns when a command that begins now on the databases should end.
func (l TimeLimit) Of(databases ...*Database) time.Time {
	if !l.Until.IsZero() || !l.ShortIfSmall {
		return l.Until
	}
	if slices.ContainsFunc(databases, func(d *Database) bool { return !d.Small() }) {
		return time.Time{}
	}
	return time.Now().Add(shortTime)
}

// Small reports whether the database is small.
func (d *Database) Small() bool { return d.Store.Shape().Total().Bytes <= smallBytes }
