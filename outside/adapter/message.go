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

var modeNames = [...]string{Create: "create", Write: "write", Read: "read"}

// String returns the name of the mode.
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

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
	// StatColdLarge counts those reads that are larger than 512 KiB, which the kernel may
	// split.
	StatColdLarge = "cold_large_reads"
)

// Stat is one of the adapter's own numbers.
type Stat struct {
	Name  string
	Unit  string // bytes, count, ns ...
	Value float64
}

// The encoded messages. Decoded messages alias the payload.

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
		d.fail(fmt.Errorf("unknown mode %s", o.Mode))
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
	o.Root = append([]byte(nil), d.bytes()...) // survives reuse of the frame's buffer
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

// got answers a getRequest.
type got struct {
	nanoseconds uint64 // time of the lookups
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

// checked reports for each claim whether its proof proves it.
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

// nothing is an empty payload.
type nothing struct{}

func (nothing) append(b []byte) []byte { return b }
func (*nothing) decode(*decoder)       {}

// sentence is the payload of a failure or a progress message.
type sentence struct{ text string }

func (s sentence) append(b []byte) []byte { return appendText(b, s.text) }
func (s *sentence) decode(d *decoder)     { s.text = d.text() }

type outgoing interface{ append([]byte) []byte }
type incoming interface{ decode(*decoder) }

func decodePayload(payload []byte, into incoming) error {
	d := &decoder{rest: payload}
	into.decode(d)
	return d.finish()
}
