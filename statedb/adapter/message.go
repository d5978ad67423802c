package adapter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"getio/record"
)

// Mode is the purpose of opening a store.
type Mode uint8

const (
	Create Mode = iota // a new store in an empty or absent directory
	Write              // an existing store, to load more
	Read               // an existing store, to look up keys only
)

func (m *Mode) check() error {
	if *m > Read {
		return fmt.Errorf("unknown mode %d", *m)
	}
	return nil
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
	// StatColdLarge counts those reads that are larger than 512 KiB, which the kernel may split.
	StatColdLarge = "cold_large_reads"
	// StatColdOpens counts those reads that open a table.
	StatColdOpens = "cold_open_reads"
)

// Records keep caches and the adapter's own numbers, whose unit is bytes, count, ns ..., as they are sent.
type (
	Cache = record.StateCache
	Stat  = record.StateStat
)

// Count is a stat that counts.
func Count(name string, n int64) Stat { return Stat{Name: name, Unit: "count", Value: float64(n)} }

func (a *Answer) check() error {
	if !a.Found && len(a.Value) > 0 {
		return errors.New("a key that was not found has a value")
	}
	return nil
}

func (c *Claim) check() error {
	if !c.Present && len(c.Value) > 0 {
		return errors.New("a key that is not there has a value")
	}
	return nil
}

// The other messages of the protocol, besides records, roots, verdicts on claims, stats and texts alone.
type (
	getRequest struct {
		Proofs bool
		Keys   [][]byte
	}
	// got answers a getRequest.
	got struct {
		Nanoseconds uint64 // time of the lookups
		Answers     []Answer
	}
	checkRequest struct {
		Root   []byte
		Claims []Claim
	}
	nothing struct{} // an empty payload
)

// greeting starts both ends' first frames. Other programs do not send it.
const greeting = "getio-adapter"

// A version of the protocol that an end speaks, after its greeting.
type (
	getioVersion   uint32
	adapterVersion uint32
)

var errOtherVersion = errors.New("another version")

func (v *getioVersion) check() error { return (*adapterVersion)(v).check() }

func (v *adapterVersion) check() error {
	if *v != Version {
		return errOtherVersion
	}
	return nil
}

// greeting codes the greeting of an end.
func (c *coder) greeting(end string) {
	text := greeting
	c.text(&text)
	if text != greeting {
		c.fail(fmt.Errorf("it does not start with the greeting of %s", end))
	}
}

// helloRequest opens the session.
type helloRequest struct{ Version getioVersion }

// Hello is an adapter's description of itself.
type Hello struct {
	// Version is the protocol version. All fields after it may differ between versions.
	Version adapterVersion
	// Engine and EngineVersion are the store's name and the version of its code.
	Engine        string
	EngineVersion string
	// Patches describes changes made to that code, in a few words each.
	Patches []string
	// Configurations are the ways to set up the store, at least one. The first is the default.
	Configurations []Configuration
}

// Configuration is a way to set up a store, and its limits.
type Configuration struct {
	Name  string
	About string // in a few words
	// MinKey and MaxKey limit the size of keys, in bytes.
	MinKey, MaxKey uint32
	// ValueSizes are the only sizes of values allowed. If there are none, MinValue and
	// MaxValue are the limits.
	ValueSizes         []uint32
	MinValue, MaxValue uint32
	// KeyHash names the hash that the store applies to keys; empty if none.
	KeyHash string
	// Proofs says what lookups can return proofs of, which can then be checked.
	Proofs Proofs
	// Ordered says that the store keeps keys in order, or in the order of their hashes.
	Ordered bool
	// MemoryPerKey is the memory that the store needs per key besides its caches, in bytes.
	MemoryPerKey float64
	// Caches are the caches in the adapter's own memory, which cannot be emptied from outside.
	Caches []Cache
}

// Proofs is what a store can prove.
type Proofs uint8

// What a store can prove.
const (
	NoProofs         Proofs = iota
	AllProofs               // that a key has a value, and that a key is absent
	ProofsOfPresence        // that a key has a value
)

func (p *Proofs) check() error {
	if *p > ProofsOfPresence {
		return fmt.Errorf("its kind of proofs is %d, and the last one is %d", uint8(*p), uint8(ProofsOfPresence))
	}
	return nil
}

// String is the end of "with ...".
func (p Proofs) String() string {
	return [...]string{"no proofs", "proofs", "proofs of presence only"}[p]
}

// String describes the configuration in one line.
func (c Configuration) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: keys of %s bytes", c.Name, sizes(c.MinKey, c.MaxKey))
	if c.KeyHash != "" {
		fmt.Fprintf(&text, ", hashed again by %s", c.KeyHash)
	}
	if len(c.ValueSizes) > 0 {
		fmt.Fprintf(&text, ", values of %v bytes only", c.ValueSizes)
	} else {
		fmt.Fprintf(&text, ", values of %s", sizes(c.MinValue, c.MaxValue))
	}
	if c.Proofs != NoProofs {
		fmt.Fprintf(&text, ", with %v", c.Proofs)
	}
	if c.Ordered {
		text.WriteString(", in order")
	}
	if c.MemoryPerKey > 0 {
		fmt.Fprintf(&text, ", %g bytes of memory per key", c.MemoryPerKey)
	}
	for _, cache := range c.Caches {
		fmt.Fprintf(&text, "; %s of %s at least", cache.Name, humanize.IBytes(cache.Least))
		if cache.Stays {
			text.WriteString(", which cannot be dropped")
		}
	}
	return text.String()
}

func sizes(least, most uint32) string {
	if least == most {
		return humanize.Comma(int64(least))
	}
	return humanize.Comma(int64(least)) + " to " + humanize.Comma(int64(most))
}

// Validate describes invalid contents as part of a sentence.
func (h *Hello) Validate() error {
	switch {
	case h.Engine == "" || h.EngineVersion == "":
		return errors.New("it names no engine, or no version of it")
	case len(h.Configurations) == 0:
		return errors.New("it offers no configuration")
	}
	names := map[string]bool{}
	for i := range h.Configurations {
		c := &h.Configurations[i]
		if c.Name == "" || names[c.Name] {
			return fmt.Errorf("configuration name %q is empty or used twice", c.Name)
		}
		names[c.Name] = true
		if err := c.validate(); err != nil {
			return fmt.Errorf("its configuration %s %w", c.Name, err)
		}
	}
	return nil
}

// maxLeast is so small that the sizes of all caches in a frame can be summed, in bytes.
const maxLeast = 1 << 40

func (c *Configuration) validate() error {
	switch {
	case c.MinKey > c.MaxKey || c.MaxKey == 0:
		return fmt.Errorf("takes keys of %d to %d bytes, which is an empty range", c.MinKey, c.MaxKey)
	case c.MinValue > c.MaxValue:
		return fmt.Errorf("takes values of %d to %d bytes, which is an empty range", c.MinValue, c.MaxValue)
	case len(c.ValueSizes) > 0 && (c.MinValue != slices.Min(c.ValueSizes) || c.MaxValue != slices.Max(c.ValueSizes)):
		return fmt.Errorf("takes values of %d to %d bytes, which contradicts its list of sizes", c.MinValue, c.MaxValue)
	case uint64(c.MaxKey)+uint64(c.MaxValue)+16 > MaxFrame:
		return fmt.Errorf("takes keys and values of %d bytes, more than fit in a frame", uint64(c.MaxKey)+uint64(c.MaxValue))
	case c.MemoryPerKey < 0:
		return fmt.Errorf("needs %v bytes of memory for a key", c.MemoryPerKey)
	}
	for _, cache := range c.Caches {
		if cache.Least > maxLeast {
			return fmt.Errorf("has a cache of %d bytes at least, more than fit in memory", cache.Least)
		}
	}
	return nil
}

// Configuration returns a configuration by name; an empty name returns the default.
func (h *Hello) Configuration(name string) (*Configuration, error) {
	var names []string
	for i := range h.Configurations {
		if c := &h.Configurations[i]; name == "" || c.Name == name {
			return c, nil
		}
		names = append(names, h.Configurations[i].Name)
	}
	return nil, fmt.Errorf("%s has no configuration %q: use one of %s", h.Engine, name, strings.Join(names, ", "))
}

// TakesKey reports whether the store can hold keys of this size, in bytes.
func (c *Configuration) TakesKey(size int) bool {
	return uint64(size) >= uint64(c.MinKey) && uint64(size) <= uint64(c.MaxKey)
}

// TakesValue reports whether the store can hold values of this size, in bytes.
func (c *Configuration) TakesValue(size int) bool {
	if len(c.ValueSizes) > 0 {
		return slices.Contains(c.ValueSizes, uint32(size))
	}
	return uint64(size) >= uint64(c.MinValue) && uint64(size) <= uint64(c.MaxValue)
}

// Refuse returns an error if the engine cannot store keys or values of these sizes, in bytes.
func (c *Configuration) Refuse(engine string, key, value int) error {
	switch {
	case !c.TakesKey(key):
		return fmt.Errorf("%s takes keys of %d to %d bytes, not %d", engine, c.MinKey, c.MaxKey, key)
	case !c.TakesValue(value) && len(c.ValueSizes) > 0:
		return fmt.Errorf("%s takes values of %v bytes only, not %d", engine, c.ValueSizes, value)
	case !c.TakesValue(value):
		return fmt.Errorf("%s takes values of %d to %d bytes, not %d", engine, c.MinValue, c.MaxValue, value)
	}
	return nil
}
