package adapter

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
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

type Cache struct {
	Name string
	// Least is the size in bytes with a budget of 0.
	Least uint64
	// Stays says that not even a request to drop caches empties it.
	Stays bool
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
