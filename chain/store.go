package chain

import (
	"errors"

	"github.com/ethereum/go-ethereum/ethdb"

	"getio/chaindata"
	"getio/engine"
)

// Gets is how often keys of a category were asked for.
type Gets struct {
	Count, Found int64
	Bytes        int64 // of the values
	Reads        int64 // of table files, made on the way
	ReadBytes    int64
}

// keyValues is a database at hand as go-ethereum reads it. It counts, by category,
// what is asked of it. It serves one goroutine.
type keyValues struct {
	db   engine.DB
	gets map[chaindata.Category]*Gets
	// reading is of the Get that is under way; its reads are traced into it.
	reading Gets
	// err is the first Get that failed. Most readers of core/rawdb take any error
	// for a key that is not there, so that it is to be looked at after each operation.
	err error
}

var errNotFound = errors.New("not found")

// trace counts a read that a Get under way makes.
func (s *keyValues) trace(r engine.TableRead) {
	s.reading.Reads++
	s.reading.ReadBytes += int64(r.Length)
}

// Get implements ethdb.KeyValueReader. The value is the caller's.
func (s *keyValues) Get(key []byte) ([]byte, error) {
	s.reading = Gets{Count: 1}
	value, found, err := s.db.Get(key, nil)
	if err != nil {
		s.err = errors.Join(s.err, err)
		return nil, err
	}
	if !found {
		s.count(key, nil)
		return nil, errNotFound
	}
	s.reading.Found, s.reading.Bytes = 1, int64(len(value))
	s.count(key, value)
	return value, nil
}

// Has implements ethdb.KeyValueReader. It costs what a Get does.
func (s *keyValues) Has(key []byte) (bool, error) {
	_, err := s.Get(key)
	if errors.Is(err, errNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s *keyValues) count(key, value []byte) {
	category := chaindata.CategoryOf(key, value)
	g := s.gets[category]
	if g == nil {
		g = &Gets{}
		s.gets[category] = g
	}
	g.add(s.reading)
}

func (g *Gets) add(more Gets) {
	g.Count += more.Count
	g.Found += more.Found
	g.Bytes += more.Bytes
	g.Reads += more.Reads
	g.ReadBytes += more.ReadBytes
}

// readOnly is keyValues as core/rawdb wants a store: it has all that stores have, and
// refuses to be written.
type readOnly struct{ *keyValues }

var (
	_ ethdb.KeyValueStore = readOnly{}

	errReadOnly = errors.New("refused: the database is opened read-only")
)

// The methods that write, and those that no reader of single keys needs.

func (readOnly) Put(_, _ []byte) error         { return errReadOnly }
func (readOnly) Delete([]byte) error           { return errReadOnly }
func (readOnly) DeleteRange(_, _ []byte) error { return errReadOnly }
func (readOnly) Compact(_, _ []byte) error     { return errReadOnly }
func (readOnly) SyncKeyValue() error           { return errReadOnly }
func (readOnly) Stat() (string, error)         { return "", errReadOnly }
func (readOnly) Close() error                  { return nil }

func (readOnly) NewBatch() ethdb.Batch                  { return refusingBatch{} }
func (readOnly) NewBatchWithSize(int) ethdb.Batch       { return refusingBatch{} }
func (readOnly) NewIterator(_, _ []byte) ethdb.Iterator { return refusingIterator{} }

// refusingBatch takes nothing.
type refusingBatch struct{}

func (refusingBatch) Put(_, _ []byte) error             { return errReadOnly }
func (refusingBatch) Delete([]byte) error               { return errReadOnly }
func (refusingBatch) DeleteRange(_, _ []byte) error     { return errReadOnly }
func (refusingBatch) ValueSize() int                    { return 0 }
func (refusingBatch) Write() error                      { return errReadOnly }
func (refusingBatch) Reset()                            {}
func (refusingBatch) Replay(ethdb.KeyValueWriter) error { return errReadOnly }
func (refusingBatch) Close()                            {}

// refusingIterator has no keys to give, and says so.
type refusingIterator struct{}

func (refusingIterator) Next() bool    { return false }
func (refusingIterator) Error() error  { return errReadOnly }
func (refusingIterator) Key() []byte   { return nil }
func (refusingIterator) Value() []byte { return nil }
func (refusingIterator) Release()      {}
