package adapter

import (
	"errors"
	"fmt"
)

// Mode is what a store is opened for.
type Mode uint8

const (
	Create Mode = iota // a new store, in a directory that is empty or absent
	Write              // one that is there, to load more
	Read               // one that is there, only to look keys up
)

var modeNames = [...]string{Create: "create", Write: "write", Read: "read"}

// String is the mode's name.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// Open says which store to open, and how.
type Open struct {
	Dir           string
	Configuration string // by name; empty is the default one
	Mode          Mode
	// Keys is how many keys the store will have; 0 if that is not known.
	Keys uint64
	// CacheBytes is the budget of all the store's caches in the adapter's memory. 0 is
	// as little as it can do with.
	CacheBytes uint64
	// Options override single options of the configuration, each as NAME=VALUE.
	Options []string
}

// Opened is what was opened.
type Opened struct {
	// Root commits to all that the store holds; empty if it has no such thing, or holds
	// nothing.
	Root []byte
	// Options are all that shape the store or its reads, with the values in force.
	Options []Option
}

// Option is an option with its value.
type Option struct{ Name, Value string }

// Record is a key with its value.
type Record struct{ Key, Value []byte }

// Answer is what a lookup returned.
type Answer struct {
	Found bool
	Value []byte // empty if it was not found
	// Proof is the size of the proof in bytes; 0 if none was asked for.
	Proof uint32
}

// Claim is what is said of a key: that it has this value, or that it is not there.
type Claim struct {
	Present bool
	Value   []byte // empty if it is not there
}

// Names of stats by which an engine's own count is held against that from outside, since the
// store was opened.
const (
	// StatColdReads are the reads of its files that would reach the disk if the page cache
	// were empty before each key that is looked up: those of which a page was not read
	// before for the same key. StatColdBytes are the bytes of these pages, of 4 KiB.
	StatColdReads = "cold_reads"
	StatColdBytes = "cold_bytes"
	// StatColdLarge are those of the reads that have more than 512 KiB: the kernel may split them.
	StatColdLarge = "cold_large_reads"
)

// Stat is one number that an adapter keeps.
type Stat struct {
	Name  string
	Unit  string // bytes, count, ns ...
	Value float64
}

// The messages as they are sent. What they decode into aliases the payload.

func (o Open) append(b []byte) []byte {
	b = appendText(appendText(b, o.Dir), o.Configuration)
	b = append(b, byte(o.Mode))
	b = appendU64(appendU64(b, o.Keys), o.CacheBytes)
	return appendList(b, o.Options, appendText)
}

func (o *Open) decode(d *decoder) {
	o.Dir, o.Configuration = d.text(), d.text()
	o.Mode = Mode(d.u8())
	if o.Mode > Read {
		d.fail(fmt.Errorf("it opens for %s, which is not known", o.Mode))
	}
	o.Keys, o.CacheBytes = d.u64(), d.u64()
	o.Options = list(d, nil, 4, (*decoder).text)
}

func (o Opened) append(b []byte) []byte {
	return appendList(appendBytes(b, o.Root), o.Options, func(b []byte, o Option) []byte {
		return appendText(appendText(b, o.Name), o.Value)
	})
}

func (o *Opened) decode(d *decoder) {
	o.Root = append([]byte(nil), d.bytes()...) // stays when the frame's buffer is used again
	o.Options = list(d, nil, 8, func(d *decoder) Option { return Option{d.text(), d.text()} })
}

type loadRequest struct{ records []Record }

func (l loadRequest) append(b []byte) []byte {
	return appendList(b, l.records, func(b []byte, r Record) []byte { return appendBytes(appendBytes(b, r.Key), r.Value) })
}

func (l *loadRequest) decode(d *decoder) {
	l.records = list(d, l.records, 8, func(d *decoder) Record { return Record{d.bytes(), d.bytes()} })
}

type committed struct{ root []byte }

func (c committed) append(b []byte) []byte { return appendBytes(b, c.root) }
func (c *committed) decode(d *decoder)     { c.root = append([]byte(nil), d.bytes()...) }

type getRequest struct {
	proofs bool
	keys   [][]byte
}

func (g getRequest) append(b []byte) []byte {
	return appendList(appendBool(b, g.proofs), g.keys, appendBytes)
}

func (g *getRequest) decode(d *decoder) {
	g.proofs = d.bool()
	g.keys = list(d, g.keys, 4, (*decoder).bytes)
}

// got answers a getRequest, key by key.
type got struct {
	nanoseconds uint64 // that the lookups took
	answers     []Answer
}

func (g got) append(b []byte) []byte {
	return appendList(appendU64(b, g.nanoseconds), g.answers, func(b []byte, a Answer) []byte {
		return appendU32(appendBytes(appendBool(b, a.Found), a.Value), a.Proof)
	})
}

func (g *got) decode(d *decoder) {
	g.nanoseconds = d.u64()
	g.answers = list(d, g.answers, 9, func(d *decoder) Answer {
		a := Answer{Found: d.bool(), Value: d.bytes(), Proof: d.u32()}
		if !a.Found && len(a.Value) > 0 {
			d.fail(errors.New("a key that was not found has a value"))
		}
		return a
	})
}

type checkRequest struct {
	root   []byte
	claims []Claim
}

func (c checkRequest) append(b []byte) []byte {
	return appendList(appendBytes(b, c.root), c.claims, func(b []byte, c Claim) []byte {
		return appendBytes(appendBool(b, c.Present), c.Value)
	})
}

func (c *checkRequest) decode(d *decoder) {
	c.root = d.bytes()
	c.claims = list(d, c.claims, 5, func(d *decoder) Claim {
		c := Claim{Present: d.bool(), Value: d.bytes()}
		if !c.Present && len(c.Value) > 0 {
			d.fail(errors.New("a key that is not there has a value"))
		}
		return c
	})
}

// checked says of each claim whether its proof proves it.
type checked struct{ proven []bool }

func (c checked) append(b []byte) []byte { return appendList(b, c.proven, appendBool) }
func (c *checked) decode(d *decoder)     { c.proven = list(d, nil, 1, (*decoder).bool) }

type stats struct{ stats []Stat }

func (s stats) append(b []byte) []byte {
	return appendList(b, s.stats, func(b []byte, s Stat) []byte {
		return appendF64(appendText(appendText(b, s.Name), s.Unit), s.Value)
	})
}

func (s *stats) decode(d *decoder) {
	s.stats = list(d, nil, 16, func(d *decoder) Stat { return Stat{d.text(), d.text(), d.f64()} })
}

// nothing is the payload of requests and answers that have none.
type nothing struct{}

func (nothing) append(b []byte) []byte { return b }
func (*nothing) decode(*decoder)       {}

// sentence is the payload of a failure, or of work under way.
type sentence struct{ text string }

func (s sentence) append(b []byte) []byte { return appendText(b, s.text) }
func (s *sentence) decode(d *decoder)     { s.text = d.text() }

// outgoing and incoming are a message's two ends.
type outgoing interface{ append([]byte) []byte }
type incoming interface{ decode(*decoder) }

func decodePayload(payload []byte, into incoming) error {
	d := &decoder{rest: payload}
	into.decode(d)
	return d.finish()
}
