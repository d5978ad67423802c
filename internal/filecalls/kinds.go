//go:build linux

package filecalls

import (
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Kind is what a call does, whichever of several numbers it has.
type Kind int

const (
	Other    Kind = iota
	Open          // of a file that is there
	Create        // or open, if it is there
	Read          // with or without an offset
	Write         // with or without an offset
	Sync          // of a file or directory
	SyncAll       // of a file system
	Start         // of writing back, which promises nothing
	Truncate      // an open file
	Allocate      // room for an open file
	Rename
	Link
	MakeDir
	Remove // a file or directory
	Stat
	List // a directory
)

var kindNames = [...]string{"other", "open", "create", "read", "write", "sync", "sync all", "start writing", "truncate", "allocate", "rename", "link", "mkdir", "remove", "stat", "list"}

func (k Kind) String() string { return kindNames[k] }

// Kinds lists all kinds of calls that Run reports.
func Kinds() (kinds []Kind) {
	for k := Open; k <= List; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}

// form is the meaning of a call's arguments. What it has not is -1; a path without a directory begins
// at the working directory.
type form struct {
	kind            Kind
	fd              int // of an open file
	dir, path       int
	newDir, newPath int
}

func onFile(k Kind) form   { return form{k, 0, -1, -1, -1, -1} }
func onPath(k Kind) form   { return form{k, -1, -1, 0, -1, -1} }
func onPathAt(k Kind) form { return form{k, -1, 0, 1, -1, -1} }
func fromTo(k Kind, at bool) form {
	return map[bool]form{false: {k, -1, -1, 0, -1, 1}, true: {k, -1, 0, 1, 2, 3}}[at]
}

// forms are the calls that exist on every architecture; others add those of their own.
var forms = map[int]form{
	unix.SYS_OPENAT:          onPathAt(Open),
	unix.SYS_READ:            onFile(Read),
	unix.SYS_PREAD64:         onFile(Read),
	unix.SYS_WRITE:           onFile(Write),
	unix.SYS_PWRITE64:        onFile(Write),
	unix.SYS_FSYNC:           onFile(Sync),
	unix.SYS_FDATASYNC:       onFile(Sync),
	unix.SYS_SYNCFS:          onFile(SyncAll),
	unix.SYS_SYNC_FILE_RANGE: onFile(Start),
	unix.SYS_FTRUNCATE:       onFile(Truncate),
	unix.SYS_FALLOCATE:       onFile(Allocate),
	unix.SYS_RENAMEAT:        fromTo(Rename, true),
	unix.SYS_RENAMEAT2:       fromTo(Rename, true),
	unix.SYS_LINKAT:          fromTo(Link, true),
	unix.SYS_MKDIRAT:         onPathAt(MakeDir),
	unix.SYS_UNLINKAT:        onPathAt(Remove),
	unix.SYS_STATX:           onPathAt(Stat),
	unix.SYS_FSTAT:           onFile(Stat),
	unix.SYS_GETDENTS64:      onFile(List),
}

// rmdirNumber is the number of rmdir, where it exists.
var rmdirNumber = -1

// numbersOf returns the numbers of the calls of some kinds.
func numbersOf(kinds []Kind) (numbers []int) {
	for _, number := range slices.Sorted(maps.Keys(forms)) {
		kind := forms[number].kind
		if slices.Contains(kinds, kind) || kind == Open && slices.Contains(kinds, Create) {
			numbers = append(numbers, number)
		}
	}
	return numbers
}
