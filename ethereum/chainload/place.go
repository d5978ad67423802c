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
type place struct {
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
func (p *place) making() string { return filepath.Join(p.temporary.Dir, "chain") }

// newPlace finds a place for the chain of dir, and removes what a killed getio left of it.
func newPlace(dir string) (p *place, err error) {
	p = &place{dir: filepath.Clean(dir)}
	in, prefix := filepath.Dir(p.dir), filepath.Base(p.dir)+building
	if p.there, err = requireEmpty(p.dir); err != nil {
		return nil, err
	}
	if p.there {
		in, prefix = p.dir, building
	}
	used, err := tempdir.RemoveAbandoned(in, prefix)
	if err != nil {
		return nil, err
	}
	if len(used) > 0 {
		return nil, fmt.Errorf("another getio makes a chain in %s just now: wait until it is done, or stop it", dir)
	}
	if p.parents, err = tempdir.Make(in); err != nil {
		return nil, fmt.Errorf("%s cannot be made (%w): name a directory that can be written", dir, err)
	}
	if p.temporary, err = tempdir.MakeTemporary(in, prefix); err != nil {
		p.parents.TakeBack()
		return nil, fmt.Errorf("nothing can be made in %s (%w): name a directory in one that can be written", in, err)
	}
	if err := os.Mkdir(p.making(), 0o777); err != nil {
		p.giveUp()
		return nil, fmt.Errorf("nothing can be made in %s (%w): name a directory in one that can be written", in, err)
	}
	return p, nil
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
func (p *place) take() (err error) {
	if !p.there {
		err = os.Rename(p.making(), p.dir)
	} else if err = os.Rename(StoreDir(p.making()), StoreDir(p.dir)); err == nil {
		err = os.Rename(filepath.Join(p.making(), MadeName), filepath.Join(p.dir, MadeName))
	}
	if err != nil {
		return fmt.Errorf("the chain was made, but cannot take its place in %s, where something else was put meanwhile (%w): make it elsewhere", p.dir, err)
	}
	return p.temporary.Remove()
}

// giveUp removes all that there is of the chain.
func (p *place) giveUp() {
	p.temporary.Remove()
	p.parents.TakeBack()
}
