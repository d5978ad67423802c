//go:build linux

package powercut

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"getio/internal/filecalls"
)

// Record runs cmd and records what it writes below dir, which must be empty. executor is that of
// filecalls.Run.
func Record(executor string, cmd *exec.Cmd, dir string) (*Log, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	r := &recorder{dir: dir, log: &Log{isDir: []bool{true}}, names: names{}, inodes: map[uint64]node{}, sizes: map[node]int64{}}
	kinds := []filecalls.Kind{
		filecalls.Open, filecalls.Create, filecalls.Write, filecalls.Sync, filecalls.SyncAll, filecalls.Truncate, filecalls.Allocate,
		filecalls.Rename, filecalls.Link, filecalls.MakeDir, filecalls.Remove,
	}
	err = filecalls.Run(executor, cmd, kinds, func(c *filecalls.Call) filecalls.Answer {
		if err := r.record(c); err != nil && r.err == nil {
			r.err = fmt.Errorf("%s of %s: %w", c.Kind, c.Path, err)
		}
		return filecalls.Answer{}
	})
	if err == nil {
		err = r.err
	}
	if err == nil {
		err = r.log.Check(dir)
	}
	return r.log, err
}

// recorder records calls before the kernel makes them. It leaves out those that will fail.
type recorder struct {
	dir    string
	log    *Log
	names  names
	inodes map[uint64]node // of files that were open when something was done to them
	sizes  map[node]int64
	err    error
}

func (r *recorder) record(c *filecalls.Call) error {
	switch c.Kind {
	case filecalls.Create, filecalls.Open:
		return r.open(c)
	case filecalls.MakeDir:
		if at, of, ok := r.find(c.Path); ok && of < 0 {
			r.name(nil, at, r.newNode(true))
		}
	case filecalls.Remove:
		if at, of, ok := r.find(c.Path); ok && of >= 0 && r.removable(c, of) {
			r.name(at, nil, of)
			r.forget(of)
		}
	case filecalls.Rename, filecalls.Link:
		return r.rename(c)
	case filecalls.SyncAll:
		if r.below(c.Path) {
			r.add(op{kind: syncingAll})
		}
	default:
		if of, ok := r.opened(c); ok {
			return r.change(c, of)
		}
	}
	return nil
}

func (r *recorder) add(o op) {
	switch o.kind {
	case writing:
		r.sizes[o.node] = max(r.sizes[o.node], o.at+int64(len(o.data)))
	case cutting:
		r.sizes[o.node] = o.at
	}
	r.log.ops = append(r.log.ops, o)
}

func (r *recorder) newNode(isDir bool) node {
	r.log.isDir = append(r.log.isDir, isDir)
	return node(len(r.log.isDir) - 1)
}

// name records that a name of a node ends and another begins.
func (r *recorder) name(from, to *entry, of node) {
	o := op{kind: naming, node: of, from: from, to: to}
	r.names.apply(&o)
	r.add(o)
}

func (r *recorder) below(path string) bool {
	return path == r.dir || strings.HasPrefix(path, r.dir+"/")
}

// find returns the entry of a path below the directory, and its node, -1 if there is none. It is not ok if
// the path is elsewhere, or its parent is missing.
func (r *recorder) find(path string) (at *entry, of node, ok bool) {
	if !r.below(path) || path == r.dir {
		return nil, -1, false
	}
	at, of = &entry{dir: -1}, root
	for name := range strings.SplitSeq(path[len(r.dir)+1:], "/") {
		if of < 0 || !r.log.isDir[of] {
			return nil, -1, false
		}
		at = &entry{of, name}
		next, there := r.names[*at]
		if of = next; !there {
			of = -1
		}
	}
	return at, of, true
}

// removable reports whether a removal will succeed: rmdir needs an empty directory, and unlink a file.
func (r *recorder) removable(c *filecalls.Call, of node) bool {
	if c.RemovesDir() != r.log.isDir[of] {
		return false
	}
	for at := range r.names {
		if at.dir == of {
			return false
		}
	}
	return true
}

// forget removes the inode numbers of a node, which the kernel may give to another file.
func (r *recorder) forget(of node) {
	for inode, n := range r.inodes {
		if n == of {
			delete(r.inodes, inode)
		}
	}
}

func (r *recorder) open(c *filecalls.Call) error {
	at, of, ok := r.find(c.Path)
	switch {
	case !ok, of < 0 && c.Kind == filecalls.Open:
	case of < 0:
		r.name(nil, at, r.newNode(false))
	case c.Truncates() && !c.Exclusive():
		r.add(op{kind: cutting, node: of})
	}
	return nil
}

func (r *recorder) rename(c *filecalls.Call) error {
	from, of, ok := r.find(c.Path)
	to, old, okTo := r.find(c.To)
	switch {
	case !ok && !okTo, of < 0:
		return nil
	case !ok || !okTo:
		return fmt.Errorf("it goes to %s: one of both is elsewhere", c.To)
	case c.Kind == filecalls.Link:
		if old < 0 {
			r.name(nil, to, of)
		}
		return nil
	}
	if old >= 0 && old != of {
		r.forget(old)
	}
	r.name(from, to, of)
	return nil
}

// opened returns the node of a call's open file. It is not ok if that lies elsewhere, or is removed.
func (r *recorder) opened(c *filecalls.Call) (of node, ok bool) {
	switch {
	case c.Path == r.dir:
		return root, true
	case !r.below(c.Path):
		return -1, false
	}
	fi, err := c.Stat()
	if err != nil {
		return -1, false
	}
	inode := fi.Sys().(*syscall.Stat_t).Ino
	if of, ok := r.inodes[inode]; ok {
		return of, true
	}
	if _, of, ok = r.find(c.Path); !ok || of < 0 {
		return -1, false
	}
	r.inodes[inode] = of
	return of, true
}

// change records what is done to an open file.
func (r *recorder) change(c *filecalls.Call, of node) error {
	switch c.Kind {
	case filecalls.Sync:
		r.add(op{kind: syncing, node: of})
	case filecalls.Truncate:
		r.add(op{kind: cutting, node: of, at: c.Arg(1)})
	case filecalls.Allocate:
		return r.allocate(c, of)
	case filecalls.Write:
		data, err := c.Data()
		if err != nil {
			return err
		}
		at, atEnd, err := c.Offset()
		if err != nil {
			return err
		}
		if atEnd {
			at = r.sizes[of]
		}
		r.add(op{kind: writing, node: of, at: at, data: data})
	}
	return nil
}

// allocate records a larger size. Room beyond the end of a file is nothing that is read.
func (r *recorder) allocate(c *filecalls.Call, of node) error {
	switch mode, end := c.Arg(1), c.Arg(2)+c.Arg(3); {
	case mode == unix.FALLOC_FL_KEEP_SIZE:
	case mode != 0:
		return fmt.Errorf("fallocate in mode %#x", mode)
	case end > r.sizes[of]:
		r.add(op{kind: cutting, node: of, at: end})
	}
	return nil
}
