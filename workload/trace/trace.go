// Package trace reads and writes traces: files that list the operations of a run in
// order, one per line. docs/traces.md documents the format.
package trace

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"getio/workload"
)

// Operation is one line of a trace.
type Operation struct {
	Kind   workload.Kind // its line begins with it
	Keys   []Key         // one key, or several for a Multiget
	Length int           // of a Scan: the number of records that it reads, starting at the key
	Seen   Seen          // of a recorded Get
}

// Key is a key that an operation looks up.
type Key struct {
	Bytes    []byte
	Presence Presence
}

// Presence says whether a key is expected to exist.
type Presence byte

// Values of Presence.
const (
	Open    Presence = 0 // any result is accepted
	Present Presence = '+'
	Absent  Presence = '-'
)

// MaxKey is the length of a key, in bytes, that a trace may have.
const MaxKey = 64 << 10

// Records returns the number of records that the operation looks up.
func (o *Operation) Records() int {
	if o.Kind == workload.Scan {
		return o.Length
	}
	return len(o.Keys)
}

// parse parses a line into o and reuses its buffers. recorded lines are Gets, with more behind the
// key.
func (o *Operation) parse(line []byte, recorded bool) error {
	word, rest := field(line)
	if recorded {
		if workload.Kind(word) != workload.Get {
			return fmt.Errorf("%q in a recorded trace, which has Gets only: write get", abbreviate(word))
		}
		var key []byte
		key, rest = field(rest)
		if err := o.Seen.parseSeen(rest); err != nil {
			return err
		}
		rest = key
	}
	o.Kind, o.Length = workload.Kind(kindOf(word)), 0
	keys := o.Keys[:0]
	switch o.Kind {
	case workload.Get, workload.Multiget:
		for len(rest) > 0 {
			var text []byte
			text, rest = field(rest)
			if len(keys) == workload.MaxBatch {
				return fmt.Errorf("more than %d keys in one operation", workload.MaxBatch)
			}
			var err error
			if keys, err = appendKey(keys, text); err != nil {
				return err
			}
		}
		if o.Keys = keys; o.Kind == workload.Get && len(keys) != 1 {
			return fmt.Errorf("get with %d keys: write 'get KEY'", len(keys))
		}
		if len(keys) == 0 {
			return errors.New("multiget without keys: write 'multiget KEY KEY ...'")
		}
		return nil
	case workload.Scan:
		text, rest := field(rest)
		number, rest := field(rest)
		var err error
		if len(text) == 0 || len(number) == 0 || len(rest) > 0 {
			return errors.New("a scan needs a key and a length: write 'scan KEY LENGTH'")
		}
		if o.Keys, err = appendKey(keys, text); err != nil {
			return err
		}
		if o.Length, err = strconv.Atoi(string(number)); err != nil || o.Length < 1 || o.Length > workload.MaxScan {
			return fmt.Errorf("invalid scan length %q: use 1 to %d", abbreviate(number), workload.MaxScan)
		}
		return nil
	}
	return fmt.Errorf("unknown operation %q: write get, scan or multiget", abbreviate(word))
}

// kindOf returns the kind that the word names, or "?". It does not allocate.
func kindOf(word []byte) string {
	for _, k := range []workload.Kind{workload.Get, workload.Scan, workload.Multiget} {
		if string(word) == string(k) {
			return string(k)
		}
	}
	return "?"
}

// field splits a line after its first word.
func field(line []byte) (word, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		return line[:i], bytes.TrimLeft(line[i:], " \t")
	}
	return line, nil
}

// appendKey parses a key and appends it to keys, reusing the buffer of the key that was
// there before.
func appendKey(keys []Key, text []byte) ([]Key, error) {
	var k Key
	if n := len(keys); n < cap(keys) {
		k = keys[:n+1][n]
	}
	digits := bytes.TrimPrefix(text, []byte("0x"))
	k.Presence = Open
	if n := len(digits); n > 0 && (digits[n-1] == byte(Present) || digits[n-1] == byte(Absent)) {
		k.Presence, digits = Presence(digits[n-1]), digits[:n-1]
	}
	if len(digits) == 0 || len(digits) > 2*MaxKey {
		return nil, notKey(text)
	}
	var err error
	if k.Bytes, err = hex.AppendDecode(k.Bytes[:0], digits); err != nil {
		return nil, notKey(text)
	}
	return append(keys, k), nil
}

func notKey(text []byte) error {
	return fmt.Errorf("%q is not a key in hexadecimal: append + if it exists or - if it does not", abbreviate(text))
}

func (o *Operation) append(line []byte, recorded bool) []byte {
	line = append(line, o.Kind...)
	for _, k := range o.Keys {
		line = append(line, ' ')
		line = hex.AppendEncode(line, k.Bytes)
		if k.Presence != Open {
			line = append(line, byte(k.Presence))
		}
	}
	if o.Kind == workload.Scan {
		line = append(line, ' ')
		line = strconv.AppendInt(line, int64(o.Length), 10)
	}
	if recorded {
		line = o.Seen.append(line)
	}
	return append(line, '\n')
}

func abbreviate(text []byte) string {
	const most = 40
	s := strings.ToValidUTF8(string(text[:min(len(text), most)]), "?")
	if len(text) > most {
		s += "..."
	}
	return s
}
