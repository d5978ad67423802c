package probetest

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"getio/system/device"
)

// program is the running program.
type program struct {
	Config
	stores []store
	noting atomic.Bool
	// valueBytes is the size of values.
	valueBytes int
	spins      int // that take ReadLatency, if it is polled

	mu    sync.Mutex
	log   Log
	pages map[page]bool // of tables, that were read
}

func (c Config) run(in io.Reader, out io.Writer) error {
	p := &program{Config: c, valueBytes: 100, log: Log{Gets: make([]int64, len(c.Dirs)), Keys: make([][][]byte, len(c.Dirs)), Kinds: map[byte]int64{}, Files: map[string]Volume{}}, pages: map[page]bool{}}
	if c.Polled {
		p.spins = spinsIn(c.ReadLatency)
	}
	if c.Chroot != "" {
		if err := unix.Chroot(c.Chroot); err != nil {
			return err
		}
	}
	if err := p.open(); err != nil {
		return err
	}
	if c.Cold {
		if err := p.cool(); err != nil {
			return err
		}
	}
	fmt.Fprintln(out, "ready")
	lines := bufio.NewReader(in)
	if _, err := lines.ReadString('\n'); err != nil {
		return err
	}
	if p.Endless {
		return p.endless(lines, out)
	}
	p.noting.Store(true)
	before, device := p.stores[0].CacheAccesses(), deviceBytes()
	if err := p.work(); err != nil {
		return err
	}
	if p.Recreated {
		if err := p.again(); err != nil {
			return err
		}
	}
	p.log.CacheAccesses -= before
	p.log.DeviceBytes = deviceBytes() - device
	text, err := json.Marshal(&p.log)
	if err == nil {
		err = os.WriteFile(p.Log, text, 0o600)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "done")
	lines.ReadString('\n') // until the test ends
	return nil
}

// again deletes the databases, makes them anew, and works once more.
func (p *program) again() error {
	p.stores, p.valueBytes = nil, p.valueBytes*2
	for _, dir := range p.Dirs {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := p.open(); err != nil {
		return err
	}
	return p.work()
}

// open makes and fills the databases.
func (p *program) open() error {
	c := &p.Config
	for i, dir := range c.Dirs {
		tables := tableReads{note: func(name string, off int64, n int) { p.note(i, name, off, n) }}
		if c.Direct {
			tables.device = device.New(device.Bypass, device.Model{})
		}
		s, err := openers[c.Library](dir, c.Cache, tables)
		if err != nil {
			return err
		}
		p.stores = append(p.stores, s)
		if err := p.fill(s); err != nil {
			return err
		}
		if c.Settled {
			settle(s)
		}
	}
	return nil
}

// settle returns when compactions and what follows them have ended: when the cache was not used for
// a while.
func settle(s store) {
	for last, same := int64(-1), 0; same < 20; time.Sleep(5 * time.Millisecond) {
		now := s.CacheAccesses()
		if same++; now != last {
			last, same = now, 0
		}
	}
}

func (p *program) fill(s store) error {
	value := make([]byte, p.valueBytes)
	random := rand.NewChaCha8([32]byte{1})
	for i := 0; i < p.Keys; {
		var keys [][]byte
		for ; len(keys) < 1000 && i < p.Keys; i++ {
			keys = append(keys, keyOf(i))
		}
		random.Read(value)
		if err := s.Write(keys, value); err != nil {
			return err
		}
	}
	return nil
}

// keyOf returns one of the keys: their order differs from that of their numbers.
func keyOf(i int) []byte {
	k := make([]byte, 33)
	k[0] = "ahlc"[i%4]
	binary.BigEndian.PutUint64(k[1:], uint64(i)*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(k[25:], uint64(i))
	return k
}

// note adds a read to the log. The runtime's own unwinder tells who made it.
func (p *program) note(db int, name string, off int64, n int) {
	if p.Polled {
		runtime.KeepAlive(spin(p.spins))
	} else if p.ReadLatency > 0 {
		// In the kernel, as a read of a device waits: Go's own timers would make many system calls.
		sleep(p.ReadLatency)
	}
	if !p.noting.Load() {
		return
	}
	r := Read{DB: db, Name: filepath.Base(name), Offset: off, Length: n, OfGet: below(lookups...), Scan: p.scanner()}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Again = p.readAgain(db, r.Name, off, n)
	p.log.Reads = append(p.log.Reads, r)
}

// spin takes as much processor time as it is asked for turns, and makes no system call.
func spin(turns int) (sum int) {
	for i := range turns {
		sum += i * sum
	}
	return sum
}

// spinsIn returns how many turns take so much processor time.
func spinsIn(d time.Duration) int {
	const turns = 1 << 25
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	runtime.KeepAlive(spin(turns))
	return int(turns * d / (threadTime() - before))
}

func threadTime() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// lookups end the names of the functions through which the libraries' Gets go.
var lookups = []string{"(*DB).getInternal", "leveldb.(*DB).get", "leveldb.(*DB).has"}

func belowGet() bool { return below(lookups...) }

// below reports whether a caller's name has one of these endings.
func below(endings ...string) bool {
	var pcs [128]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(f.Function, e) }) {
			return true
		}
		if !more {
			return false
		}
	}
}

// work makes all Gets, beside writes and scans, and closes the databases.
func (p *program) work() error {
	var others, gets group
	stop := make(chan struct{})
	for i := range p.stores {
		if p.Writes {
			others.do(stop, func(random *rand.Rand) error { return p.write(p.stores[i], random) })
		}
		for range p.Iterators {
			others.do(stop, func(random *rand.Rand) error { return p.stores[i].Scan(keyOf(random.IntN(p.Keys)), 100) })
		}
	}
	cold := make(chan error, 1)
	if p.Cold {
		go p.readCold(cold)
	} else {
		cold <- nil
	}
	ended := make(chan struct{})
	var left atomic.Int64
	left.Store(int64(p.Gets))
	for range p.Workers {
		gets.do(ended, func(random *rand.Rand) error {
			if left.Add(-1) < 0 {
				return errEnough
			}
			return p.get(random)
		})
	}
	err := errors.Join(gets.wait(), <-cold)
	close(stop)
	err = errors.Join(err, others.wait())
	p.log.CacheAccesses = p.stores[0].CacheAccesses()
	for _, s := range p.stores {
		err = errors.Join(err, s.Close())
	}
	return err
}

func (p *program) write(s store, random *rand.Rand) error {
	var keys [][]byte
	for range 200 {
		keys = append(keys, keyOf(random.IntN(p.Keys)))
	}
	value := make([]byte, p.valueBytes)
	for i := range value {
		value[i] = byte(random.Uint32())
	}
	return s.Write(keys, value)
}

// get makes one Get, of an absent key now and then.
func (p *program) get(random *rand.Rand) error {
	key := keyOf(random.IntN(p.Keys))
	if random.IntN(8) == 0 {
		key[32] ^= 0x55
	}
	db := random.IntN(len(p.stores))
	var found bool
	var err error
	one := func() { found, err = p.stores[db].Get(key) }
	switch {
	case p.Fresh:
		done := make(chan struct{})
		go func() {
			defer close(done)
			one()
		}()
		<-done
	case p.Nested > 0:
		done := make(chan struct{})
		go func() {
			defer close(done)
			dive(p.Nested, one)
		}()
		<-done
	case p.Deep:
		deep := make(chan struct{})
		go func() { // a new stack, which has to grow
			defer close(deep)
			dive(random.IntN(60), one)
		}()
		<-deep
	default:
		one()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log.Gets[db]++
	p.log.Kinds[key[0]]++
	if p.NoteKeys {
		p.log.Keys[db] = append(p.log.Keys[db], key)
	}
	if found {
		p.log.Found++
	}
	return err
}

// dive calls f from a deep stack.
func dive(depth int, f func()) {
	var frame [256]byte
	if depth == 0 {
		f()
	} else {
		dive(depth-1, f)
	}
	runtime.KeepAlive(&frame)
}

// Burst is how many Gets a worker of an endless program makes between two pauses.
const Burst = 100

// endless makes Gets until the input ends. Each line of it asks for what was spent.
func (p *program) endless(lines *bufio.Reader, out io.Writer) error {
	keys := make([][]byte, p.Keys)
	for i := range keys {
		keys[i] = keyOf(i)
	}
	var made atomic.Int64
	var gets group
	for range p.Workers {
		gets.do(nil, func(random *rand.Rand) error {
			began := time.Now()
			for range Burst {
				if _, err := p.stores[0].Get(keys[random.IntN(len(keys))]); err != nil {
					return err
				}
			}
			made.Add(Burst)
			if p.Rate > 0 {
				time.Sleep(time.Duration(Burst*p.Workers)*time.Second/time.Duration(p.Rate) - time.Since(began))
			}
			return nil
		})
	}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil // the test has ended
		}
		if line == "exec\n" {
			return syscall.Exec("/proc/self/exe", os.Args, os.Environ())
		}
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			return err
		}
		fmt.Fprintln(out, made.Load(), u.Utime.Nano()+u.Stime.Nano())
	}
}
