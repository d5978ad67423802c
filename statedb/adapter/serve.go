package adapter

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Engine is an adapter in Go.
type Engine interface {
	Hello() Hello
	// Open opens a store. Configuration is one of those in Hello, never empty. A failed Open
	// leaves nothing behind.
	Open(Open) (Store, Opened, error)
}

// Store is an open store. Its methods are never called concurrently. An error is sent to
// getio as it is, and the store stays open.
type Store interface {
	// Load takes records that the next Commit makes part of the store. They are valid until
	// it returns.
	Load([]Record) error
	// Commit makes what was loaded durable and returns the store's root.
	Commit() (root []byte, err error)
	// Get looks up the keys in order and fills answers, one per key.
	Get(keys [][]byte, proofs bool, answers []Answer) error
	// Check reports for each key of the last Get, which asked for proofs, whether its proof
	// proves the claim under the root.
	Check(root []byte, claims []Claim) (proven []bool, err error)
	Stats() ([]Stat, error)
	// DropCaches empties the store's caches in this process.
	DropCaches() error
	// Quiesce returns once the store has no background work left, such as compactions. It
	// calls working now and then with its progress.
	Quiesce(working func(string)) error
	Close() error
}

// Serve answers requests until there are no more. An error means that the other end is not
// getio, or is gone.
func Serve(in io.Reader, out io.Writer, engine Engine) (err error) {
	s := &server{engine: engine, in: bufio.NewReaderSize(in, 1<<16), out: out}
	defer func() {
		if s.store != nil {
			err = errors.Join(err, s.close())
		}
	}()
	for {
		kind, payload, err := s.request.read(s.in)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.answer(kind, payload)
		}
		if err != nil {
			return fmt.Errorf("the input is not a request from getio (%w): let getio start the adapter, see statedb/adapter/protocol.md", err)
		}
	}
}

// server is the adapter's end of a session.
type server struct {
	engine        Engine
	store         Store // nil while no store is open
	mode          Mode  // of the store
	gcPercent     int   // GOGC before a store was opened for reading
	greeted       bool
	proofs        int // number of keys of the last Get, if it asked for proofs
	in            io.Reader
	out           io.Writer
	request, sent frame
	// Reused between requests.
	load    []Record
	get     getRequest
	answers []Answer
}

func (s *server) send(kind Kind, m any) error {
	return s.sent.write(s.out, encode(s.sent.begin(kind), m))
}

func (s *server) sendText(kind Kind, text string) error { return s.send(kind, &text) }

// answer handles one request. An error of the store is sent to getio; the returned error
// ends the session.
func (s *server) answer(kind Kind, payload []byte) error {
	request, handle := s.handler(kind)
	if handle == nil {
		return fmt.Errorf("a frame of %v", kind)
	}
	if err := decode(payload, request); err != nil {
		return fmt.Errorf("%v: %w", kind, err)
	}
	reply, err := s.permitted(kind, handle)
	if err == nil {
		err = s.send(kind|kindAnswer, reply)
		if _, large := errors.AsType[errTooLarge](err); !large {
			return err
		}
		err = fmt.Errorf("the answer would be %w: ask for less at a time", err)
	}
	return s.sendText(kindFailed, err.Error())
}

// permitted handles a request if it is allowed at this point of the session.
func (s *server) permitted(kind Kind, handle func() (any, error)) (any, error) {
	switch {
	case kind != KindHello && !s.greeted:
		return nil, errors.New("the session did not start with hello")
	case kind == KindOpen && s.store != nil:
		return nil, errors.New("a store is open already")
	case kind > KindOpen && s.store == nil:
		return nil, errors.New("no store is open")
	case (kind == KindLoad || kind == KindCommit) && s.mode == Read:
		return nil, errors.New("the store is open for reading only")
	}
	if kind != KindCheck {
		s.proofs = 0
	}
	return handle()
}

// handler returns the message to decode a request into, and a function that handles it.
func (s *server) handler(kind Kind) (any, func() (any, error)) {
	switch kind {
	case KindHello:
		var r helloRequest
		return &r, func() (any, error) {
			s.greeted = r.Version == Version
			h := s.engine.Hello()
			h.Version = Version
			return &h, nil
		}
	case KindOpen:
		var r Open
		return &r, func() (any, error) { return s.open(r) }
	case KindLoad:
		return &s.load, func() (any, error) { return &nothing{}, s.store.Load(s.load) }
	case KindCommit:
		return &nothing{}, func() (any, error) {
			root, err := s.store.Commit()
			return &root, err
		}
	case KindGet:
		return &s.get, s.lookUp
	case KindCheck:
		var r checkRequest
		return &r, func() (any, error) {
			if len(r.Claims) != s.proofs {
				return nil, fmt.Errorf("%d claims, but the lookups before asked for %d proofs", len(r.Claims), s.proofs)
			}
			proven, err := s.store.Check(r.Root, r.Claims)
			return &proven, err
		}
	case KindStats:
		return &nothing{}, func() (any, error) {
			stats, err := s.store.Stats()
			return &stats, err
		}
	case KindDropCaches:
		return &nothing{}, func() (any, error) { return &nothing{}, s.store.DropCaches() }
	case KindQuiesce:
		return &nothing{}, func() (any, error) { return &nothing{}, s.quiesce() }
	case KindClose:
		return &nothing{}, func() (any, error) { return &nothing{}, s.close() }
	}
	return nil, nil
}

func (s *server) open(o Open) (any, error) {
	hello := s.engine.Hello()
	c, err := hello.Configuration(o.Configuration)
	if err != nil {
		return nil, err
	}
	o.Configuration = c.Name
	if o.Mode == Read {
		s.gcPercent = debug.SetGCPercent(readingGCPercent)
	}
	s.mode = o.Mode
	store, opened, err := s.engine.Open(o)
	if err != nil {
		s.endReading()
		return nil, err
	}
	s.store = store
	return &opened, nil
}

// readingGCPercent is GOGC while a store is open for reading. A page that holds both garbage and objects in
// use cannot be returned to the system.
const readingGCPercent = 10

func (s *server) close() error {
	store := s.store
	s.store = nil
	defer s.endReading()
	return store.Close()
}

func (s *server) endReading() {
	if s.mode == Read {
		debug.SetGCPercent(s.gcPercent)
	}
}

func (s *server) lookUp() (any, error) {
	n := len(s.get.Keys)
	s.answers = slices.Grow(s.answers[:0], n)[:n]
	for i := range s.answers {
		s.answers[i] = Answer{Value: s.answers[i].Value[:0]}
	}
	begin := time.Now()
	if err := s.store.Get(s.get.Keys, s.get.Proofs, s.answers); err != nil {
		return nil, err
	}
	took := time.Since(begin)
	if s.get.Proofs {
		s.proofs = n
	}
	return &got{uint64(took), s.answers}, nil
}

// quiesce passes progress on. If the other end is gone, sending the answer fails. getio measures the
// memory of a store that is open for reading after it: then the process keeps no garbage.
func (s *server) quiesce() error {
	err := s.store.Quiesce(func(text string) { _ = s.sendText(kindWorking, text) })
	if err == nil && s.mode == Read {
		runtime.GC() // also what pools keep for one collection
		debug.FreeOSMemory()
	}
	return err
}

// RequireEmpty refuses a directory for a new store that is not empty.
func RequireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: choose an empty directory", dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
