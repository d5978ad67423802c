// Package leftover knows what this process has created for its own use and must not leave behind: temporary
// directories, unfinished files, private disks. A command removes them itself when it ends. Remove removes what is
// left of them when a command is abandoned, such as after an interruption.
package leftover

import (
	"errors"
	"slices"
	"sync"
)

var (
	// creating is held for reading while something is created. Remove takes it for good, so that an abandoned command
	// creates nothing more.
	creating sync.RWMutex
	one      sync.Mutex // protects created
	created  []*Thing
)

// Thing is something that was created and is not removed yet.
type Thing struct {
	removal sync.Mutex
	remove  func() error // nil once it was called
}

// Create runs create and registers what it made, which remove removes. remove may be called while the command that
// uses the thing is still running.
func Create(create func() (remove func() error, err error)) (*Thing, error) {
	creating.RLock()
	defer creating.RUnlock()
	remove, err := create()
	if err != nil {
		return nil, err
	}
	t := &Thing{remove: remove}
	one.Lock()
	defer one.Unlock()
	created = append(created, t)
	return t, nil
}

// Make runs make, which creates what the removal of a Thing that is registered already removes too.
func Make(make func() error) error {
	creating.RLock()
	defer creating.RUnlock()
	return make()
}

// Remove removes the thing. Only the first call does, and the others wait for it.
func (t *Thing) Remove() (err error) {
	t.removal.Lock()
	defer t.removal.Unlock()
	if t.remove != nil {
		err = t.remove()
	}
	t.Keep()
	t.remove = nil
	return err
}

// Keep leaves the thing where it is from now on: its owner has removed it or given it another name.
func (t *Thing) Keep() {
	one.Lock()
	defer one.Unlock()
	created = slices.DeleteFunc(created, func(other *Thing) bool { return other == t })
}

// Any reports whether something is left.
func Any() bool {
	one.Lock()
	defer one.Unlock()
	return len(created) > 0
}

// Remove removes what is left, the newest first. From then on, Create blocks: the process is to end.
func Remove() (err error) {
	creating.Lock()
	one.Lock()
	left := slices.Clone(created)
	one.Unlock()
	for _, t := range slices.Backward(left) {
		err = errors.Join(err, t.Remove())
	}
	return err
}
