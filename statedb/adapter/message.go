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

// Stat is one of the adapter's own numbers.
type Stat struct {
	Name  string
	Unit  string // bytes, count, ns ...
	Value float64
}

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
