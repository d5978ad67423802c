package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"getio/dataset"
)

// lockDir keeps other loads and updates off a dataset until unlock is called or
// the process ends. It locks the directory itself, so that nothing has to be
// created; where the file system cannot do that, the library's own lock is left.
func lockDir(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s: %w", dir, err)
	}
	if err := unix.Flock(int(d.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		d.Close()
		return nil, fmt.Errorf("%s is locked by another getio that writes to it: wait until it is done, or stop it", dir)
	}
	return func() { d.Close() }, nil
}

// lock locks a dataset that is there. What its manifest said when the job was
// prepared must still hold.
func (j *Job) lock() (unlock func(), err error) {
	unlock, err = lockDir(j.Dir)
	if err != nil {
		return nil, err
	}
	now, err := dataset.Read(j.Dir)
	if err == nil && !same(now, j.Manifest) {
		err = fmt.Errorf("%s was changed by another getio just now: look at it with 'getio inspect %s' and try again", j.Dir, j.Dir)
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

func same(a, b *dataset.Manifest) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
