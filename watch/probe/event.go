package probe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"time"
)

// Read is one finished read of a file by the watched process, or a prefetch of a part of it.
type Read struct {
	// Prefetch: the process asked the kernel to fetch the range into the page cache (readahead,
	// posix_fadvise), and got no bytes of it.
	Prefetch bool
	Began    time.Duration // on the kernel's monotonic clock
	Latency  time.Duration
	// DeviceBytes is what the kernel read from devices for it, readahead included.
	DeviceBytes int64

	Goroutine uint64 // address of the runtime's g
	OfGet     bool   // a Get made it
	// Get is the last one that the goroutine began; without a DB if none began while counting.
	Get Get

	Offset   int64 // -1 if the file's own position was used
	Length   int64 // asked for
	Returned int64 // bytes, or a negative error number

	FD   uint32
	Name string // of the file
	FileVersion
	Folder Folder

	// Stack holds return addresses, the innermost first; of reads that Gets made only if the Target
	// asks for it. Of a deep stack, they are the innermost and the outermost ones.
	Stack []uint64
	// Cut: the stack is deeper than it was walked, and the outermost are missing.
	Cut bool
}

// FileVersion identifies a file and its contents.
type FileVersion struct {
	Inode    uint64
	Size     int64 // in bytes
	Modified int64 // in nanoseconds since 1970
}

// Folder identifies a directory: the kernel's number of its device, and its inode.
type Folder struct{ Device, Inode uint64 }

// Get identifies a lookup.
type Get struct {
	DB    uint64 // address of the library's DB
	Class uint32 // index of the Target's class of its key, from 1; 0 if it is in none
	// Entry is the index of the Target's entry that was called.
	Entry uint32
	// Number counts the Gets of the goroutine.
	Number uint64
}

// getOf is a Get without a number. class holds the entry in its upper half.
func getOf(db, class uint64) Get {
	return Get{DB: db, Class: uint32(class), Entry: uint32(class >> 32)}
}

// The layout of an event in the ring buffer.
const (
	atBegan = 8 * iota
	atLatency
	atDeviceBytes
	atGoroutine
	atGetDB
	atGetClass // class, and the entry in the upper half
	atGetNumber
	atOffset
	atLength
	atReturned
	atFolderInode
	atInode
	atSize
	atSeconds // of the last change of the contents, since 1970
	atNanoseconds
	atFD // and whether a Get made it in the upper half
	atCall
	atDevice
	atStackBytes
	atFrames // of a deep stack that were walked
	atName
)

const (
	nameBytes = 32
	atStack   = atName + nameBytes
	// maxStack is how many return addresses of a read are kept: all that the kernel collects
	// (kernel.perf_event_max_stack).
	maxStack = 127
	// Of a deeper stack, so many of the innermost are kept and, in a ring, of the outermost.
	innerStack = maxStack - outerStack
	outerStack = 64
	// maxCalls bounds how far a deep stack is walked. The EVM makes five calls for each call of a contract.
	maxCalls   = 1024
	eventBytes = atStack + 8*maxStack
)

var errShortEvent = errors.New("the kernel delivered a part of an event")

// decode reads an event. It reuses r.Stack.
func (r *Read) decode(raw []byte) error {
	if len(raw) < atStack {
		return errShortEvent
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(raw[at:]) }
	name, _, _ := bytes.Cut(raw[atName:atStack], []byte{0})
	stack := r.Stack[:0]
	frames := int(word(atFrames))
	n := int64(word(atStackBytes))
	if frames > 0 {
		n = 8 * int64(min(frames+1, maxStack))
	}
	if n > 0 && int(n) <= len(raw)-atStack {
		for at := atStack; at < atStack+int(n); at += 8 {
			stack = append(stack, word(at))
		}
	}
	if frames >= maxStack { // bring the ring into order
		ring, oldest := stack[innerStack:], (frames+1-innerStack)%outerStack
		copy(ring, slices.Concat(ring[oldest:], ring[:oldest]))
	}
	get := getOf(word(atGetDB), word(atGetClass))
	get.Number = word(atGetNumber)
	call := word(atCall)
	*r = Read{
		Prefetch: call == sysReadahead || call == sysFadvise64,
		Began:    time.Duration(word(atBegan)), Latency: time.Duration(word(atLatency)), DeviceBytes: int64(word(atDeviceBytes)),
		Goroutine: word(atGoroutine), OfGet: word(atFD)>>32 != 0, Get: get,
		Offset: int64(word(atOffset)), Length: int64(word(atLength)), Returned: int64(word(atReturned)),
		FD: uint32(word(atFD)), Name: string(name), Folder: Folder{Device: word(atDevice), Inode: word(atFolderInode)},
		FileVersion: FileVersion{word(atInode), int64(word(atSize)), int64(word(atSeconds))*int64(time.Second) + int64(word(atNanoseconds))},
		Stack:       stack,
		Cut:         frames >= maxCalls,
	}
	if call == sysRead {
		r.Offset = -1
	}
	return nil
}

// Lookup is a Get that was counted, with its key.
type Lookup struct {
	Began     time.Duration // on the kernel's monotonic clock
	Goroutine uint64        // address of the runtime's g
	Get       Get           // without a number
	Key       []byte
}

// The layout of a lookup in the ring buffer.
const (
	keyAtBegan = 8 * iota
	keyAtGoroutine
	keyAtDB
	keyAtClass // class, and the entry in the upper half
	keyAtLength
	keyAtBytes
)

const (
	// maxKey bounds the bytes of a key. Geth's longest, of a storage trie's node, has 97.
	maxKey        = 216
	keyEventBytes = keyAtBytes + maxKey
)

// decode reads a lookup. The key is valid as long as raw.
func (l *Lookup) decode(raw []byte) error {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(raw[at:]) }
	if len(raw) < keyEventBytes || word(keyAtLength) > maxKey {
		return errShortEvent
	}
	*l = Lookup{
		Began: time.Duration(word(keyAtBegan)), Goroutine: word(keyAtGoroutine),
		Get: getOf(word(keyAtDB), word(keyAtClass)), Key: raw[keyAtBytes:][:word(keyAtLength)],
	}
	return nil
}
