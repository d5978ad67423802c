package chain

import (
	"errors"

	"getio/engine"
	"getio/ethereum/chaindata"
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
