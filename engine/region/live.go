package region

import (
	"fmt"
	"sync"

	"getio/tree/readpath"
)

// Live are the region maps of tables that come and go while a database is written to.
// It is safe for concurrent use.
type Live struct {
	// read reads a table's map; wrong is what in the table's own account contradicts it.
	read func(file uint64, path string) (m *Map, wrong, err error)

	mu    sync.Mutex
	maps  map[uint64]*Map // by file number; numbers are never used again
	wrong error           // the first
}

// NewLive returns a Live of no table yet.
func NewLive(read func(file uint64, path string) (m *Map, wrong, err error)) *Live {
	return &Live{read: read, maps: map[uint64]*Map{}}
}

// Regions returns the region map of a table, which is read when it is first asked for.
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

// Check holds the maps that were asked for against what their tables say.
func (l *Live) Check() readpath.Check {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong != nil {
		return readpath.Check{Name: "region_map", Detail: l.wrong.Error()}
	}
	return readpath.Check{Name: "region_map", OK: true, Detail: fmt.Sprintf("the maps of %d tables agree with what they say of themselves", len(l.maps))}
}
