package cachesim

import (
	"container/ring"
	"slices"
	"testing"
)

// lruModel is a slice, the block accessed last first.
type lruModel struct {
	capacity int64
	held     []access
}

func newLRUModel(capacity int64) model { return &lruModel{capacity: capacity} }

func (m *lruModel) Used() int64 { return sum(m.held) }

func sum(list []access) (bytes int64) {
	for _, a := range list {
		bytes += int64(a.size)
	}
	return bytes
}

func (m *lruModel) Access(block uint64, size uint32) bool {
	a := access{block, size}
	at := slices.Index(m.held, a)
	if at >= 0 {
		m.held = slices.Delete(m.held, at, at+1)
	} else if int64(size) > m.capacity {
		return false
	}
	m.held = slices.Insert(m.held, 0, a)
	for m.Used() > m.capacity {
		m.held = m.held[:len(m.held)-1]
	}
	return at >= 0
}

func (m *lruModel) check(t *testing.T) {
	if m.Used() > m.capacity {
		t.Fatalf("%d bytes of %d", m.Used(), m.capacity)
	}
}

// s3Model has its queues as slices, the block that came last first.
type s3Model struct {
	capacity           int64
	small, main, ghost []access
	hits               map[uint64]int
}

func newS3Model(capacity int64) model {
	return &s3Model{capacity: capacity, hits: map[uint64]int{}}
}

func (m *s3Model) Used() int64 { return sum(m.small) + sum(m.main) }

func (m *s3Model) Access(block uint64, size uint32) bool {
	a := access{block, size}
	if slices.Contains(m.small, a) || slices.Contains(m.main, a) {
		m.hits[block] = min(m.hits[block]+1, 3)
		return true
	}
	into := &m.small
	if at := slices.Index(m.ghost, a); at >= 0 {
		m.ghost = slices.Delete(m.ghost, at, at+1)
		into = &m.main
	}
	if int64(size) > m.capacity {
		return false
	}
	for m.Used()+int64(size) > m.capacity {
		if sum(m.small) > m.capacity/10 || len(m.main) == 0 {
			m.evictSmall()
		} else {
			m.evictMain()
		}
	}
	*into = slices.Insert(*into, 0, a)
	m.hits[block] = 0
	return false
}

func (m *s3Model) evictSmall() {
	a := m.small[len(m.small)-1]
	m.small = m.small[:len(m.small)-1]
	if m.hits[a.block] >= 2 {
		m.hits[a.block] = 0
		m.main = slices.Insert(m.main, 0, a)
		return
	}
	m.ghost = slices.Insert(m.ghost, 0, a)
	for sum(m.ghost) > m.capacity-m.capacity/10 {
		m.ghost = m.ghost[:len(m.ghost)-1]
	}
}

func (m *s3Model) evictMain() {
	a := m.main[len(m.main)-1]
	m.main = m.main[:len(m.main)-1]
	if m.hits[a.block] > 0 {
		m.hits[a.block]--
		m.main = slices.Insert(m.main, 0, a)
	}
}

func (m *s3Model) check(t *testing.T) {
	seen := map[uint64]bool{}
	for _, a := range slices.Concat(m.small, m.main, m.ghost) {
		if seen[a.block] {
			t.Fatalf("block %d is in two queues", a.block)
		}
		seen[a.block] = true
	}
}

// clockModel is CLOCK-Pro on a ring of the standard library, with everything
// that ClockPro keeps account of added up anew.
type clockModel struct {
	capacity, coldTarget int64
	hot, cold, test      *ring.Ring // hands
}

type clockEntry struct {
	access
	page       page
	referenced bool
}

func newClockModel(capacity int64) model {
	capacity = max(capacity, 1)
	return &clockModel{capacity: capacity, coldTarget: capacity}
}

func entry(r *ring.Ring) *clockEntry { return r.Value.(*clockEntry) }

func (m *clockModel) bytes(p page) (n int64) {
	if m.hot != nil {
		m.hot.Do(func(v any) {
			if e := v.(*clockEntry); e.page == p {
				n += int64(e.size)
			}
		})
	}
	return n
}

func (m *clockModel) Used() int64 { return m.bytes(hotPage) + m.bytes(coldPage) }

func (m *clockModel) find(block uint64) *ring.Ring {
	for at, i := m.hot, 0; at != nil && i < m.hot.Len(); at, i = at.Next(), i+1 {
		if entry(at).block == block {
			return at
		}
	}
	return nil
}

func (m *clockModel) Access(block uint64, size uint32) bool {
	e := &clockEntry{access: access{block, size}, page: coldPage}
	if at := m.find(block); at != nil {
		if entry(at).page != testPage {
			entry(at).referenced = true
			return true
		}
		m.remove(at)
		m.coldTarget = min(m.coldTarget+int64(size), m.capacity)
		e.page = hotPage
	}
	for m.Used() >= m.capacity && m.cold != nil {
		m.runCold()
	}
	if int64(size) > m.capacity {
		return false
	}
	r := &ring.Ring{Value: e}
	if m.hot == nil {
		m.hot, m.cold, m.test = r, r, r
		return false
	}
	m.hot.Prev().Link(r)
	if m.cold == m.hot {
		m.cold = r
	}
	return false
}

func (m *clockModel) remove(at *ring.Ring) {
	if at.Len() == 1 {
		m.hot, m.cold, m.test = nil, nil, nil
		return
	}
	for _, hand := range []**ring.Ring{&m.hot, &m.cold, &m.test} {
		if *hand == at {
			*hand = at.Prev()
		}
	}
	at.Prev().Unlink(1)
}

func (m *clockModel) runCold() {
	if e := entry(m.cold); e.page == coldPage {
		if e.referenced {
			e.referenced, e.page = false, hotPage
		} else {
			e.page = testPage
			for m.bytes(testPage) > m.capacity && m.test != nil {
				m.runTest()
			}
		}
	}
	if m.cold != nil {
		m.cold = m.cold.Next()
	}
	for m.bytes(hotPage) >= m.capacity-m.coldTarget && m.hot != nil {
		m.runHot()
	}
}

func (m *clockModel) runHot() {
	if m.hot == m.test {
		if m.runTest(); m.hot == nil {
			return
		}
	}
	if e := entry(m.hot); e.page == hotPage {
		if !e.referenced {
			e.page = coldPage
		}
		e.referenced = false
	}
	m.hot = m.hot.Next()
}

func (m *clockModel) runTest() {
	if m.bytes(coldPage) > 0 && m.test == m.cold {
		if m.runCold(); m.test == nil {
			return
		}
	}
	if e := entry(m.test); e.page == testPage {
		m.coldTarget = max(m.coldTarget-int64(e.size), 0)
		m.remove(m.test)
	}
	if m.test != nil {
		m.test = m.test.Next()
	}
}

func (m *clockModel) check(t *testing.T) {
	if m.coldTarget < 0 || m.coldTarget > m.capacity {
		t.Fatalf("the cold target is %d of %d", m.coldTarget, m.capacity)
	}
}
