package chainload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"getio/system/atomicfile"
	"getio/system/filelock"
	"getio/system/tempdir"
)

// staging is the directory in which a chain is made until it is complete. It lies on the
// file system of the final directory, so that a rename publishes the chain.
type staging struct {
	dir       string // final directory of the chain
	there     bool   // dir exists already and may not be replaceable
	parents   tempdir.Created
	temporary *tempdir.Dir
}

// building marks staging directories. They lie beside the chain's directory, or in it if it exists.
const building = ".getio-building-"

// path is the chain's directory before it is published. It has the usual mode, but its
// parent is private.
func (s *staging) path() string { return filepath.Join(s.temporary.Path, "chain") }

// newStaging makes a staging directory for the chain in dir, and removes what a killed getio
// left there.
func newStaging(dir string) (s *staging, err error) {
	s = &staging{dir: filepath.Clean(dir)}
	in, prefix := filepath.Dir(s.dir), filepath.Base(s.dir)+building
	if s.there, err = requireEmpty(s.dir); err != nil {
		return nil, err
	}
	if s.there {
		in, prefix = s.dir, building
	}
	used, err := tempdir.RemoveAbandoned(in, prefix)
	if err != nil {
		return nil, err
	}
	if len(used) > 0 {
		return nil, fmt.Errorf("another process%s is making a chain in %s: wait until it is done, or stop it", filelock.Holder(filepath.Join(in, used[0])), dir)
	}
	if s.parents, err = tempdir.Create(in); err != nil {
		return nil, fmt.Errorf("cannot create %s (%w): choose a directory that you can write to", dir, err)
	}
	if s.temporary, err = tempdir.New(in, prefix); err == nil {
		err = os.Mkdir(s.path(), 0o777)
	}
	if err != nil {
		s.discard()
		return nil, fmt.Errorf("cannot write to %s (%w): choose a directory that you can write to", in, err)
	}
	return s, nil
}

// requireEmpty refuses a dir that cannot take a chain, and reports whether it exists.
func requireEmpty(dir string) (there bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(dir); err == nil {
			return false, fmt.Errorf("%s is a dangling link: create its target, or choose another directory", dir)
		}
		return false, nil
	case err != nil:
		return false, fmt.Errorf("cannot make a chain in %s (%w): choose a directory that does not exist yet", dir, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), building) {
			return false, fmt.Errorf("%s is not empty (it has %s): choose a directory that does not exist yet", dir, e.Name())
		}
	}
	return true, nil
}

// publish moves the chain to its final directory, or leaves nothing there. The file that marks it as
// complete comes last, also on the device: a power cut leaves the whole chain, or no mark.
func (s *staging) publish() error {
	parts := []string{""} // the directory itself
	if s.there {
		parts = []string{storeName, MadeName}
	}
	if err := atomicfile.SyncTree(s.path()); err != nil {
		return s.notDurable(err)
	}
	var moved []string // that is not kept
	defer func() {
		for _, path := range moved {
			os.RemoveAll(path)
		}
	}()
	for _, part := range parts {
		to := filepath.Join(s.dir, part)
		if err := os.Rename(filepath.Join(s.path(), part), to); err != nil {
			return fmt.Errorf("the chain was made but cannot be moved to %s, where something else has appeared (%w): make it elsewhere", s.dir, err)
		}
		moved = append(moved, to)
		if err := atomicfile.Sync(filepath.Dir(to)); err != nil {
			return s.notDurable(err)
		}
	}
	moved = nil
	s.parents.Keep()
	return s.temporary.Remove()
}

func (s *staging) notDurable(err error) error {
	return fmt.Errorf("the device of %s did not take the chain (%w): make it elsewhere", s.dir, err)
}

// discard removes the chain and the directories made for it.
func (s *staging) discard() {
	if s.temporary != nil {
		s.temporary.Remove()
	}
	s.parents.RemoveEmpty()
}
