package counter

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// readerEnv makes the test binary read pages of a file, in the way that it names.
const readerEnv = "GETIO_TEST_READER"

func TestMain(m *testing.M) {
	switch how := os.Getenv(readerEnv); how {
	case "":
		os.Exit(m.Run())
	case withoutRoot:
		runWithoutRoot()
	case holdsCounter:
		holdCounter()
	default:
		if err := serve(how, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// Ways to read. Each read is 4 KiB at the start of a page, or less of it.
const (
	byPread  = "pread"
	byPieces = "pieces" // two adjacent reads, of seven and of eight pages
	byDirect = "O_DIRECT"
	byUring  = "io_uring"
	byMap    = "mmap"
	// byRandomMap tells the kernel that it reads a mapping at random.
	byRandomMap = "mmap, random"
	// byLockedMap locks the whole file in memory.
	byLockedMap = "mlock"
)

const page = 4096

// serve reads the pages on each line of input and answers each with a line.
func serve(how, path string) error {
	read, err := opened(how, path)
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var pages []int64
		for field := range strings.FieldsSeq(line) {
			n, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return err
			}
			pages = append(pages, n)
		}
		if err := read(pages); err != nil {
			return err
		}
		fmt.Println("read")
	}
}

func opened(how, path string) (read func(pages []int64) error, err error) {
	flags := os.O_RDONLY
	if how == byDirect || how == byUring {
		flags |= unix.O_DIRECT
	}
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	switch how {
	case byPread:
		return each(func(n int64) error {
			_, err := f.ReadAt(make([]byte, 100), n*page+17)
			return err
		}), nil
	case byPieces:
		return each(func(n int64) error {
			for _, piece := range []struct{ from, pages int64 }{{n, 7}, {n + 7, 8}} {
				if _, err := f.ReadAt(make([]byte, piece.pages*page), piece.from*page); err != nil {
					return err
				}
			}
			return nil
		}), nil
	case byDirect:
		buffer, err := unix.Mmap(-1, 0, page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		return each(func(n int64) error {
			_, err := f.ReadAt(buffer, n*page)
			return err
		}), err
	case byUring:
		r, err := newRing(int(f.Fd()))
		if err != nil {
			return nil, err
		}
		return r.read, nil
	case byMap, byRandomMap, byLockedMap:
		fi, err := f.Stat()
		if err != nil {
			return nil, err
		}
		m, err := unix.Mmap(int(f.Fd()), 0, int(fi.Size()), unix.PROT_READ, unix.MAP_SHARED)
		if err == nil && how == byLockedMap {
			err = unix.Mlock(m)
		}
		if err == nil && how == byRandomMap {
			err = unix.Madvise(m, unix.MADV_RANDOM)
		}
		return each(func(n int64) error {
			touched += m[n*page+17]
			return nil
		}), err
	}
	return nil, fmt.Errorf("there is no way to read called %q", how)
}

var touched byte // keeps the reads from being optimised away

func each(read func(n int64) error) func(pages []int64) error {
	return func(pages []int64) error {
		for _, n := range pages {
			if err := read(n); err != nil {
				return err
			}
		}
		return nil
	}
}

// reader is a process that reads pages on request.
type reader struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Writer
	out *bufio.Reader
	err strings.Builder
}

// startReader starts a reader that is counted.
func startReader(t *testing.T, c *Counter, how, path string) *reader {
	t.Helper()
	r := &reader{t: t, cmd: exec.Command(os.Args[0], path)}
	r.cmd.Env = append(os.Environ(), readerEnv+"="+how)
	in, err := r.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := r.cmd.StdoutPipe()
	require.NoError(t, err)
	r.cmd.Stderr = &r.err
	r.in, r.out = in, bufio.NewReader(out)
	require.NoError(t, c.Start(r.cmd))
	t.Cleanup(func() {
		in.Close()
		r.cmd.Wait()
	})
	if err := r.read(); err != nil { // waits until it has opened its file
		if strings.Contains(r.err.String(), errNoUring.Error()) {
			t.Skip(r.err.String())
		}
		t.Fatal(err)
	}
	return r
}

// read reads pages.
func (r *reader) read(pages ...int64) error {
	var line strings.Builder
	for _, n := range pages {
		fmt.Fprintf(&line, "%d ", n)
	}
	if _, err := fmt.Fprintln(r.in, line.String()); err != nil {
		return err
	}
	answer, err := r.out.ReadString('\n')
	if err != nil || answer != "read\n" {
		r.cmd.Wait()
		return fmt.Errorf("the reader said %q (%v): %s", answer, err, r.err.String())
	}
	return nil
}

// ring is an io_uring for one file.
type ring struct {
	fd, file        int
	params          ringParams
	sq, cq, sqes    []byte
	buffers         []byte
	sqTail, sqMask  *uint32
	cqHead, cqTail  *uint32
	cqMask, sqArray *uint32
}

// From linux/io_uring.h.
type (
	ringParams struct {
		sqEntries, cqEntries, flags, sqThreadCPU, sqThreadIdle, features, wqFD uint32
		_                                                                      [3]uint32
		sq                                                                     struct {
			head, tail, mask, entries, flags, dropped, array, _ uint32
			user                                                uint64
		}
		cq struct {
			head, tail, mask, entries, overflow, cqes, flags, _ uint32
			user                                                uint64
		}
	}
	request struct {
		opcode, flags uint8
		ioprio        uint16
		fd            int32
		off, addr     uint64
		length        uint32
		_             uint32
		userData      uint64
		_             [3]uint64
	}
	completion struct {
		userData uint64
		result   int32
		flags    uint32
	}
)

const (
	ringEntries = 32
	opRead      = 22
	getEvents   = 1
)

var errNoUring = errors.New("the kernel has no io_uring for this process")

func newRing(file int) (*ring, error) {
	r := &ring{file: file}
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, ringEntries, uintptr(unsafe.Pointer(&r.params)), 0)
	if errno != 0 {
		return nil, fmt.Errorf("%w: %w", errNoUring, errno)
	}
	r.fd = int(fd)
	p := &r.params
	for _, m := range []struct {
		to     *[]byte
		offset int64
		length uint32
	}{
		{&r.sq, 0, p.sq.array + p.sqEntries*4},
		{&r.cq, 0x8000000, p.cq.cqes + p.cqEntries*uint32(unsafe.Sizeof(completion{}))},
		{&r.sqes, 0x10000000, p.sqEntries * uint32(unsafe.Sizeof(request{}))},
	} {
		var err error
		if *m.to, err = unix.Mmap(r.fd, m.offset, int(m.length), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE); err != nil {
			return nil, err
		}
	}
	var err error
	if r.buffers, err = unix.Mmap(-1, 0, ringEntries*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE); err != nil {
		return nil, err
	}
	at := func(in []byte, offset uint32) *uint32 { return (*uint32)(unsafe.Pointer(&in[offset])) }
	r.sqTail, r.sqMask, r.sqArray = at(r.sq, p.sq.tail), at(r.sq, p.sq.mask), at(r.sq, p.sq.array)
	r.cqHead, r.cqTail, r.cqMask = at(r.cq, p.cq.head), at(r.cq, p.cq.tail), at(r.cq, p.cq.mask)
	return r, nil
}

// read reads pages, as many at a time as the ring has entries.
func (r *ring) read(pages []int64) error {
	for len(pages) > 0 {
		n := min(len(pages), ringEntries)
		if err := r.batch(pages[:n]); err != nil {
			return err
		}
		pages = pages[n:]
	}
	return nil
}

func (r *ring) batch(pages []int64) error {
	requests := unsafe.Slice((*request)(unsafe.Pointer(&r.sqes[0])), ringEntries)
	array := unsafe.Slice(r.sqArray, ringEntries)
	for i, n := range pages {
		slot := (*r.sqTail + uint32(i)) & *r.sqMask
		requests[slot] = request{opcode: opRead, fd: int32(r.file), off: uint64(n * page), addr: uint64(uintptr(unsafe.Pointer(&r.buffers[i*page]))), length: page}
		array[slot] = slot
	}
	atomic.StoreUint32(r.sqTail, *r.sqTail+uint32(len(pages)))
	// A signal may end the call before all requests have completed.
	for submit := len(pages); submit > 0 || atomic.LoadUint32(r.cqTail)-*r.cqHead < uint32(len(pages)); {
		n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(r.fd), uintptr(submit), uintptr(len(pages)), getEvents, 0, 0)
		if errno != 0 && errno != unix.EINTR {
			return fmt.Errorf("io_uring takes no reads: %w", errno)
		}
		if errno == 0 {
			submit -= int(n)
		}
	}
	completions := unsafe.Slice((*completion)(unsafe.Pointer(&r.cq[r.params.cq.cqes])), r.params.cqEntries)
	for range pages {
		if c := completions[*r.cqHead&*r.cqMask]; c.result != page {
			return fmt.Errorf("io_uring read %d bytes of a page", c.result)
		}
		atomic.StoreUint32(r.cqHead, *r.cqHead+1)
	}
	return nil
}
