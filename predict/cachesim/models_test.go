package cachesim

import (
	"container/ring"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// lruModel is a slice, the most recently accessed block first.
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
	require.LessOrEqual(t, m.Used(), m.capacity, "bytes")
}

// linuxModel keeps its lists as slices, the newest block first, and the age of each eviction.
type linuxModel struct {
	capacity, others int64
	inactive, active []access
	evicted          map[access]int64
	age              int64
	activated        bool
	seen             bool
	referenced       map[access]bool
}

func newLinuxModel(others int64, seen bool) func(capacity int64) model {
	return func(capacity int64) model {
		return &linuxModel{capacity: capacity, others: others, evicted: map[access]int64{}, seen: seen, referenced: map[access]bool{}}
	}
}

// reference is folio_mark_accessed.
func (m *linuxModel) reference(a access) {
	at := slices.Index(m.inactive, a)
	switch {
	case !m.seen:
	case !m.referenced[a]:
		m.referenced[a] = true
	case at >= 0:
		m.inactive = slices.Delete(m.inactive, at, at+1)
		m.active = slices.Insert(m.active, 0, a)
		m.age += int64(a.size)
		m.referenced[a] = false
	}
}

func (m *linuxModel) Used() int64 { return sum(m.inactive) + sum(m.active) }

func (m *linuxModel) Access(block uint64, size uint32) bool {
	a := access{block, size}
	if slices.Contains(m.inactive, a) || slices.Contains(m.active, a) {
		m.reference(a)
		return true
	}
	if int64(size) > m.capacity {
		return false
	}
	for m.Used()+int64(size) > m.capacity {
		m.reclaim(int64(size))
	}
	m.referenced[a] = false
	defer m.reference(a)
	at, remembered := m.evicted[a]
	delete(m.evicted, a)
	if remembered && m.age-at <= sum(m.active)+m.others {
		m.age += int64(size)
		m.activated = true
		m.active = slices.Insert(m.active, 0, a)
	} else {
		m.inactive = slices.Insert(m.inactive, 0, a)
	}
	return false
}

func (m *linuxModel) reclaim(wanted int64) {
	blocks := 32
	enough := func() bool { return blocks <= 0 && wanted <= 0 }
	for share := int64(4096); share >= 1 && !enough(); share /= 2 {
		evict, deactivate := sum(m.inactive)/share, sum(m.active)/share
		if !m.activated && sum(m.inactive) >= sum(m.active)+m.others {
			deactivate = 0
		}
		for !enough() && (evict > 0 && len(m.inactive) > 0 || deactivate > 0 && len(m.active) > 0) {
			for n := 0; n < 32 && evict > 0 && len(m.inactive) > 0; n++ {
				last := m.inactive[len(m.inactive)-1]
				m.inactive = m.inactive[:len(m.inactive)-1]
				m.evicted[last] = m.age
				m.age += int64(last.size)
				evict -= int64(last.size)
				wanted -= int64(last.size)
				blocks--
			}
			for n := 0; n < 32 && deactivate > 0 && len(m.active) > 0; n++ {
				last := m.active[len(m.active)-1]
				m.active = m.active[:len(m.active)-1]
				m.inactive = slices.Insert(m.inactive, 0, last)
				deactivate -= int64(last.size)
			}
		}
	}
	m.activated = false
}

func (m *linuxModel) check(t *testing.T) {
	require.LessOrEqual(t, m.Used(), m.capacity, "bytes")
}

// s3Model keeps its queues as slices, the newest block first.
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

// clockModel is CLOCK-Pro on a ring of the standard library. It adds up all sizes each time.
type clockModel struct {
	targetSize, coldTarget      int64
	handHot, handCold, handTest *ring.Ring
}

type clockEntry struct {
	access
	ptype      entryType
	referenced bool
}

func newClockModel(capacity int64) model {
	capacity = max(capacity, 1)
	return &clockModel{targetSize: capacity, coldTarget: capacity}
}

func entryAt(r *ring.Ring) *clockEntry { return r.Value.(*clockEntry) }

func (m *clockModel) bytes(ptype entryType) (n int64) {
	if m.handHot != nil {
		m.handHot.Do(func(v any) {
			if e := v.(*clockEntry); e.ptype == ptype {
				n += int64(e.size)
			}
		})
	}
	return n
}

func (m *clockModel) Used() int64 { return m.bytes(etHot) + m.bytes(etCold) }

func (m *clockModel) find(block uint64) *ring.Ring {
	for at, i := m.handHot, 0; at != nil && i < m.handHot.Len(); at, i = at.Next(), i+1 {
		if entryAt(at).block == block {
			return at
		}
	}
	return nil
}

func (m *clockModel) Access(block uint64, size uint32) bool {
	e := &clockEntry{access: access{block, size}, ptype: etCold}
	if at := m.find(block); at != nil {
		if entryAt(at).ptype != etTest {
			entryAt(at).referenced = true
			return true
		}
		m.remove(at)
		m.coldTarget = min(m.coldTarget+int64(size), m.targetSize)
		e.ptype = etHot
	}
	for m.Used() >= m.targetSize && m.handCold != nil {
		m.runHandCold()
	}
	if int64(size) > m.targetSize {
		return false
	}
	r := &ring.Ring{Value: e}
	if m.handHot == nil {
		m.handHot, m.handCold, m.handTest = r, r, r
		return false
	}
	m.handHot.Prev().Link(r)
	if m.handCold == m.handHot {
		m.handCold = r
	}
	return false
}

func (m *clockModel) remove(at *ring.Ring) {
	if at.Len() == 1 {
		m.handHot, m.handCold, m.handTest = nil, nil, nil
		return
	}
	for _, hand := range []**ring.Ring{&m.handHot, &m.handCold, &m.handTest} {
		if *hand == at {
			*hand = at.Prev()
		}
	}
	at.Prev().Unlink(1)
}

func (m *clockModel) runHandCold() {
	if e := entryAt(m.handCold); e.ptype == etCold {
		if e.referenced {
			e.referenced, e.ptype = false, etHot
		} else {
			e.ptype = etTest
			for m.bytes(etTest) > m.targetSize && m.handTest != nil {
				m.runHandTest()
			}
		}
	}
	if m.handCold != nil {
		m.handCold = m.handCold.Next()
	}
	for m.bytes(etHot) >= m.targetSize-m.coldTarget && m.handHot != nil {
		m.runHandHot()
	}
}

func (m *clockModel) runHandHot() {
	if m.handHot == m.handTest {
		if m.runHandTest(); m.handHot == nil {
			return
		}
	}
	if e := entryAt(m.handHot); e.ptype == etHot {
		if !e.referenced {
			e.ptype = etCold
		}
		e.referenced = false
	}
	m.handHot = m.handHot.Next()
}

func (m *clockModel) runHandTest() {
	if m.bytes(etCold) > 0 && m.handTest == m.handCold {
		if m.runHandCold(); m.handTest == nil {
			return
		}
	}
	if e := entryAt(m.handTest); e.ptype == etTest {
		m.coldTarget = max(m.coldTarget-int64(e.size), 0)
		m.remove(m.handTest)
	}
	if m.handTest != nil {
		m.handTest = m.handTest.Next()
	}
}

func (m *clockModel) check(t *testing.T) {
	if m.coldTarget < 0 || m.coldTarget > m.targetSize {
		t.Fatalf("the cold target is %d of %d", m.coldTarget, m.targetSize)
	}
}
