package adapter

import (
	"errors"
	"fmt"
)

// Mode is the purpose of opening a store.
type Mode uint8

const (
	Create Mode = iota // a new store in an empty or absent directory
	Write              // an existing store, to load more
	Read               // an existing store, to look up keys only
)

// Open is a request to open a store.
type Open struct {
	Dir           string
	Configuration string // empty takes the default
	Mode          Mode
	// Keys is the number of keys that the store will have; 0 if unknown.
	Keys uint64
	// CacheBytes is the budget of all caches in the adapter's memory. 0 asks for the
	// smallest that work.
	CacheBytes uint64
	// Options override single options of the configuration, each as NAME=VALUE.
	Options []string
}

// Opened describes the store that was opened.
type Opened struct {
	// Root commits to the contents of the store. It is empty if the store has no roots or no
	// contents.
	Root []byte
	// Options are all options that shape the store or its reads, with their values.
	Options []Option
}

type Option struct{ Name, Value string }

type Record struct{ Key, Value []byte }

// Answer is the result of a lookup.
type Answer struct {
	Found bool
	Value []byte // empty if not found
	// Proof is the size of the proof in bytes; 0 if none was requested.
	Proof uint32
}

// Claim states that a key has this value, or is absent.
type Claim struct {
	Present bool
	Value   []byte // empty if absent
}

// Names of the stats with the engine's own counts since the store was opened. getio compares
// them with its counts from outside.
const (
	// StatColdReads counts reads of files that would reach the disk if the page cache were
	// empty before each key: those with a page that was not yet read for the same key.
	// StatColdBytes is the size of these pages of 4 KiB.
	StatColdReads = "cold_reads"
	StatColdBytes = "cold_bytes"
	// StatColdLarge counts those reads that are larger than 512 KiB, which the kernel may split.
	StatColdLarge = "cold_large_reads"
	// StatColdOpens counts those reads that open a table.
	StatColdOpens = "cold_open_reads"
)

// Stat is one of the adapter's own numbers.
type Stat struct {
	Name  string
	Unit  string // bytes, count, ns ...
	Value float64
}

func (o *Open) fields(c *coder) {
	c.text(&o.Dir)
	c.text(&o.Configuration)
	c.u8((*uint8)(&o.Mode))
	if o.Mode > Read {
		c.fail(fmt.Errorf("unknown mode %d", o.Mode))
	}
	c.u64(&o.Keys)
	c.u64(&o.CacheBytes)
	list(c, &o.Options, 4, (*coder).text)
}

func (o *Opened) fields(c *coder) {
	c.root(&o.Root)
	list(c, &o.Options, 8, func(c *coder, o *Option) {
		c.text(&o.Name)
		c.text(&o.Value)
	})
}

type loadRequest struct{ records []Record }

func (l *loadRequest) fields(c *coder) {
	list(c, &l.records, 8, func(c *coder, r *Record) {
		c.bytes(&r.Key)
		c.bytes(&r.Value)
	})
}

type committed struct{ root []byte }

func (m *committed) fields(c *coder) { c.root(&m.root) }

type getRequest struct {
	proofs bool
	keys   [][]byte
}

func (g *getRequest) fields(c *coder) {
	c.bool(&g.proofs)
	list(c, &g.keys, 4, (*coder).bytes)
}

// got answers a getRequest.
type got struct {
	nanoseconds uint64 // time of the lookups
	answers     []Answer
}

func (g *got) fields(c *coder) {
	c.u64(&g.nanoseconds)
	list(c, &g.answers, 9, func(c *coder, a *Answer) {
		c.bool(&a.Found)
		c.bytes(&a.Value)
		c.u32(&a.Proof)
		if !a.Found && len(a.Value) > 0 {
			c.fail(errors.New("a key that was not found has a value"))
		}
	})
}

type checkRequest struct {
	root   []byte
	claims []Claim
}

func (r *checkRequest) fields(c *coder) {
	c.bytes(&r.root)
	list(c, &r.claims, 5, func(c *coder, claim *Claim) {
		c.bool(&claim.Present)
		c.bytes(&claim.Value)
		if !claim.Present && len(claim.Value) > 0 {
			c.fail(errors.New("a key that is not there has a value"))
		}
	})
}

// checked reports for each claim whether its proof proves it.
type checked struct{ proven []bool }

func (m *checked) fields(c *coder) { list(c, &m.proven, 1, (*coder).bool) }

type stats struct{ stats []Stat }

func (m *stats) fields(c *coder) {
	list(c, &m.stats, 16, func(c *coder, s *Stat) {
		c.text(&s.Name)
		c.text(&s.Unit)
		c.f64(&s.Value)
	})
}

// nothing is an empty payload.
type nothing struct{}

func (*nothing) fields(*coder) {}

// sentence is the payload of a failure or a progress message.
type sentence struct{ text string }

func (s *sentence) fields(c *coder) { c.text(&s.text) }
