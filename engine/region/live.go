package region

import (
	"fmt"
	"sync"

	"getio/engine/readpath"
)

// Live holds the region maps of a database whose set of tables changes. It is safe for
// concurrent use.
type Live struct {
	// read reads the map of a table. wrong says how the table's properties contradict it.
	read func(file uint64, path string) (m *Map, wrong, err error)

	mu    sync.Mutex
	maps  map[uint64]*Map // by number, which the caller gives to no other table
	wrong error           // the first
}

// NewLive returns a Live without tables.
func NewLive(read func(file uint64, path string) (m *Map, wrong, err error)) *Live {
	return &Live{read: read, maps: map[uint64]*Map{}}
}

// Regions returns the region map of a table. It reads the map on the first call.
func (l *Live) Regions(file uint64, path string) (*Map, error) {
	l.mu.Lock()
	known := l.maps[file]
	l.mu.Unlock()
	if known != nil {
		return known, nil
	}
	m, wrong, err := l.read(file, path)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if wrong != nil && l.wrong == nil {
		l.wrong = fmt.Errorf("table %s: %w", path, wrong)
	}
	l.maps[file] = m
	return m, nil
}

// Check compares the maps read so far with the properties of their tables.
func (l *Live) Check() readpath.Check {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong != nil {
		return readpath.Check{Name: "region_map", Detail: l.wrong.Error()}
	}
	return readpath.Check{Name: "region_map", OK: true, Detail: fmt.Sprintf("the maps of %d tables agree with what they say of themselves", len(l.maps))}
}
