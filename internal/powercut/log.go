//go:build linux

// Package powercut records what a program writes below a directory, and rebuilds the states in which a
// power cut may leave the directory. Tests run a program on such states.
//
// A power cut may come after any operation. What was written to a file since it was last synced may be
// lost, kept, kept up to some byte, or kept in some blocks only, as the page cache was written back.
// Each name that was created, renamed or removed since its directory was last synced may be lost or
// kept. Syncing a file promises nothing about its name.
package powercut

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Log is what a program wrote, in order.
type Log struct {
	ops   []op
	isDir []bool // by node
}

// A node is a file or directory, whatever its names are. The directory that is recorded is root.
type node int

const root node = 0

type opKind int

const (
	naming  opKind = iota // a name is created, removed or changed
	writing               // data at an offset
	cutting               // a file gets another size
	syncing               // one file or directory
	syncingAll
	opKinds
)

func (k opKind) String() string {
	return [opKinds]string{"naming", "writing", "cutting", "syncing", "syncing all"}[k]
}

type op struct {
	kind opKind
	node node
	from *entry // naming: the name that ends
	to   *entry // naming: the name that begins
	at   int64  // writing: offset; cutting: size
	data []byte
}

// entry is a name in a directory.
type entry struct {
	dir  node
	name string
}

// names are the entries of all directories.
type names map[entry]node

// apply changes a name. If names that it depends on were lost, only its own effect remains.
func (n names) apply(o *op) {
	if o.from != nil {
		if of, ok := n[*o.from]; ok && of == o.node {
			delete(n, *o.from)
		}
	}
	if o.to != nil {
		n[*o.to] = o.node
	}
}

// written applies an operation to the contents of a file.
func (o *op) written(to []byte) []byte {
	switch o.kind {
	case writing:
		to = resized(to, max(int64(len(to)), o.at+int64(len(o.data))))
		copy(to[o.at:], o.data)
	case cutting:
		to = resized(to, o.at)
	}
	return to
}

// resized cuts data, or appends zeros to it.
func resized(data []byte, size int64) []byte {
	if n := size - int64(len(data)); n > 0 {
		return append(data, make([]byte, n)...)
	}
	return data[:size]
}

// Len returns the number of operations.
func (l *Log) Len() int { return len(l.ops) }

// Check compares the state after all operations with the directory. A difference means that the program
// wrote in a way that Record does not see.
func (l *Log) Check(dir string) error {
	got := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			got[name] = nil
			return err
		}
		got[name], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		return err
	}
	want := l.whole().files
	for name := range want {
		if _, there := got[name]; !there {
			return fmt.Errorf("%s was recorded, and is not there", name)
		}
	}
	for name, data := range got {
		if kept, there := want[name]; !there || !bytes.Equal(kept.data, data) {
			return fmt.Errorf("%s differs from what was recorded (recorded: %v, %d bytes of %d)", name, there, len(kept.data), len(data))
		}
	}
	return nil
}

// whole is the state after all operations, none of which is lost.
func (l *Log) whole() *State {
	h := l.until(len(l.ops))
	for _, o := range h.pendingNames {
		h.names.apply(o)
	}
	return h.state(func(n node) []byte { return replay(replay(nil, h.durable[n]), h.pending[n]) })
}

// replay applies operations to the contents of a file.
func replay(data []byte, ops []*op) []byte {
	for _, o := range ops {
		data = o.written(data)
	}
	return data
}
