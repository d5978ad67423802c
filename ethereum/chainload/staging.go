package chainload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"getio/system/tempdir"
)

// place is where a chain is made until it is whole: on the file system where it is to
// be, so that it takes its name by being renamed.
type staging struct {
	dir       string // of the chain
	there     bool   // it is a directory already, perhaps one that cannot be replaced
	parents   tempdir.Made
	temporary *tempdir.Temporary
}

// building marks directories in which chains are made: beside the chain's, or in it if
// that is there.
const building = ".getio-building-"

// making is the chain's directory while it is made: one of the user's usual mode, in one
// that only getio looks into.
func (s *staging) path() string { return filepath.Join(s.temporary.Dir, "chain") }

// newStaging finds a place for the chain of dir, and removes what a killed getio left of it.
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
		return nil, fmt.Errorf("another getio makes a chain in %s just now: wait until it is done, or stop it", dir)
	}
	if s.parents, err = tempdir.Make(in); err != nil {
		return nil, fmt.Errorf("%s cannot be made (%w): name a directory that can be written", dir, err)
	}
	if s.temporary, err = tempdir.MakeTemporary(in, prefix); err != nil {
		s.parents.TakeBack()
		return nil, fmt.Errorf("nothing can be made in %s (%w): name a directory in one that can be written", in, err)
	}
	if err := os.Mkdir(s.path(), 0o777); err != nil {
		s.discard()
		return nil, fmt.Errorf("nothing can be made in %s (%w): name a directory in one that can be written", in, err)
	}
	return s, nil
}

// requireEmpty refuses what no chain can be made in, and tells whether dir is there.
func requireEmpty(dir string) (there bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(dir); err == nil {
			return false, fmt.Errorf("%s is a link to nothing: make what it points to, or name another directory", dir)
		}
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s is no directory that a chain can be made in (%w): name one that is not there yet", dir, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), building) {
			return false, fmt.Errorf("%s is not empty (it holds %s): name a directory that is not there yet", dir, e.Name())
		}
	}
	return true, nil
}

// take gives the chain its name. What says that it is whole comes last.
func (s *staging) publish() (err error) {
	if !s.there {
		err = os.Rename(s.path(), s.dir)
	} else if err = os.Rename(StoreDir(s.path()), StoreDir(s.dir)); err == nil {
		err = os.Rename(filepath.Join(s.path(), MadeName), filepath.Join(s.dir, MadeName))
	}
	if err != nil {
		return fmt.Errorf("the chain was made, but cannot take its place in %s, where something else was put meanwhile (%w): make it elsewhere", s.dir, err)
	}
	return s.temporary.Remove()
}

// discard removes all that there is of the chain.
func (s *staging) discard() {
	s.temporary.Remove()
	s.parents.TakeBack()
}
