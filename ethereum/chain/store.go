package chain

import (
	"errors"

	"getio/engine"
	"getio/ethereum/chaindata"
)

// Gets counts the lookups of keys of one category.
type Gets struct {
	Count, Found int64
	Bytes        int64 // of the values
	Reads        int64 // of table files during the lookups
	ReadBytes    int64
}

// keyValues adapts an open database to go-ethereum and counts lookups by category. It is not
// safe for concurrent use.
type keyValues struct {
	db   engine.DB
	gets map[chaindata.Category]*Gets
	// reading is the Get in progress, to which reads are attributed.
	reading Gets
	// err joins the errors of failed Gets. Most readers of core/rawdb take an error for an
	// absent key, so callers must look at err after each operation.
	err error
}

var errNotFound = errors.New("not found")

// trace attributes a read to the Get in progress.
func (s *keyValues) trace(r engine.TableRead) {
	s.reading.Reads++
	s.reading.ReadBytes += int64(r.Length)
}

// Get implements ethdb.KeyValueReader. The caller owns the value.
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

// Has implements ethdb.KeyValueReader. It costs as much as a Get.
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
