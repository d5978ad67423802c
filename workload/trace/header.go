package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The first word of a trace's first line.
const (
	Schema = "getio.trace/1"
	// SchemaRecorded is that of a trace of what a running program asked for. Its lines are Gets, and
	// say when each was made and by whom.
	SchemaRecorded = "getio.trace/2"
)

// Header is what the first line says.
type Header struct {
	Warmup   int64     // the number of operations before the measured ones
	Recorded *Recorded // nil if the operations are not those of a running program
}

// Recorded says what a recording of a running program left out.
type Recorded struct {
	Gets   int64 // all that the program made, also those that are not in the trace
	Before int64 // of these, those before the measured operations
	Lost   int64 // of these, those whose keys could not be taken
	Sample int64 // the trace has one of so many neighbourhoods of keys; 1: all keys
	Keys   KeyForm
	// Memtables is about the share of the program's block cache that its memtables took, from 0 to 1.
	Memtables float64
}

// KeyForm says what stands for a key.
type KeyForm string

// Forms of keys.
const (
	Whole  KeyForm = "whole"
	Hashed KeyForm = "hash" // equal for equal keys, and nothing can be looked up with it
)

// Seen says when a running program made a Get, and by whom.
type Seen struct {
	At time.Duration // since the recording began
	By int64         // the goroutine: they are numbered from 1 as they appear
	In int64         // the neighbourhood of the key; 0 if the trace is not a sample
}

// ParseSample parses a rate such as 1/16, and returns its 16.
func ParseSample(s string) (int64, error) {
	digits, ok := strings.CutPrefix(s, "1/")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 1 || n > mostSample {
		return 0, fmt.Errorf("want a rate such as 1/16, from 1/1 (all keys) to 1/%d", mostSample)
	}
	return n, nil
}

// mostSample leaves enough of a large database.
const mostSample = 1000

// append appends the first line. Its length does not depend on the numbers.
func (h *Header) append(line []byte) []byte {
	if h.Recorded == nil {
		return fmt.Appendf(line, "%s warmup=%018d\n", Schema, h.Warmup)
	}
	r := h.Recorded
	return fmt.Appendf(line, "%s warmup=%018d gets=%018d before=%018d lost=%018d sample=%d keys=%s memtables=%.6f\n",
		SchemaRecorded, h.Warmup, r.Gets, r.Before, r.Lost, r.Sample, r.Keys, r.Memtables)
}

func parseHeader(line []byte) (h Header, err error) {
	words := strings.Fields(string(line[:min(len(line), 1000)]))
	if len(words) == 0 || words[0] != Schema && words[0] != SchemaRecorded {
		return h, fmt.Errorf("not a trace: the first line must be '%s' or '%s warmup=N'", Schema, Schema)
	}
	if words[0] == SchemaRecorded {
		h.Recorded = &Recorded{Sample: 1, Keys: Whole}
	}
	for _, word := range words[1:] {
		if err := h.parseField(word); err != nil {
			return h, err
		}
	}
	return h, nil
}

func (h *Header) parseField(word string) error {
	name, text, _ := strings.Cut(word, "=")
	numbers := map[string]*int64{"warmup": &h.Warmup}
	least := int64(0)
	if r := h.Recorded; r != nil {
		numbers["gets"], numbers["before"], numbers["lost"], numbers["sample"] = &r.Gets, &r.Before, &r.Lost, &r.Sample
		switch name {
		case "keys":
			r.Keys = KeyForm(text)
			if r.Keys != Whole && r.Keys != Hashed {
				return fmt.Errorf("unknown form of keys %q: write %s or %s", abbreviate([]byte(text)), Whole, Hashed)
			}
			return nil
		case "memtables":
			var err error
			if r.Memtables, err = strconv.ParseFloat(text, 64); err != nil || !(r.Memtables >= 0 && r.Memtables <= 1) {
				return fmt.Errorf("invalid memtables %q: want a share of the block cache, from 0 to 1", abbreviate([]byte(text)))
			}
			return nil
		}
	}
	to := numbers[name]
	if to == nil {
		return fmt.Errorf("unknown field %q: write '%s warmup=N'", abbreviate([]byte(word)), Schema)
	}
	if name == "sample" {
		least = 1
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		return fmt.Errorf("invalid %s %q: want a number from %d on", name, abbreviate([]byte(text)), least)
	}
	*to = n
	return nil
}

// parseSeen parses what stands behind the key of a recorded Get.
func (s *Seen) parseSeen(rest []byte) error {
	*s = Seen{}
	for len(rest) > 0 {
		var word []byte
		word, rest = field(rest)
		name, text, _ := strings.Cut(string(word), "=")
		var err error
		switch name {
		case "at":
			var seconds float64
			seconds, err = strconv.ParseFloat(text, 64)
			if err == nil && !(seconds >= 0 && seconds <= maxSeconds) {
				err = strconv.ErrRange
			}
			s.At = time.Duration(math.Round(seconds*1e6)) * time.Microsecond
		case "by":
			s.By, err = strconv.ParseInt(text, 10, 64)
		case "in":
			s.In, err = strconv.ParseInt(text, 10, 64)
		default:
			return fmt.Errorf("unknown field %q: write 'get KEY at=SECONDS by=NUMBER in=NUMBER'", abbreviate(word))
		}
		if err != nil || s.By < 0 || s.In < 0 {
			return fmt.Errorf("invalid field %q: write 'get KEY at=SECONDS by=NUMBER in=NUMBER'", abbreviate(word))
		}
	}
	return nil
}

// maxSeconds is longer than any recording: a hundred years.
const maxSeconds = 100 * 366 * 24 * 3600

// append appends what stands behind the key.
func (s *Seen) append(line []byte) []byte {
	line = append(line, " at="...)
	line = strconv.AppendFloat(line, s.At.Seconds(), 'f', 6, 64)
	line = append(line, " by="...)
	line = strconv.AppendInt(line, s.By, 10)
	if s.In > 0 {
		line = append(line, " in="...)
		line = strconv.AppendInt(line, s.In, 10)
	}
	return line
}
