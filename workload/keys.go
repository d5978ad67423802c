package workload

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"getio/numbers/units"
	"getio/system/filesystem"
	"getio/workload/popularity"
)

// Keys says which keys are asked for: drawn from those of the database, or taken from a file. A trace also says in which
// order.
type Keys struct {
	Seed   uint64  `json:"seed"`             // of a comparison, that of the first round
	Absent float64 `json:"absent,omitempty"` // share of Gets of absent keys, which are distributed like existing ones
	popularity.Popularity
	Files
}

// Files are those that the keys come from. Records have all of it.
type Files struct {
	KeysFile    string `json:"keys_file,omitempty"`    // file that the keys came from
	KeysSHA256  string `json:"keys_sha256,omitempty"`  // its hash
	Trace       string `json:"trace,omitempty"`        // file whose operations were repeated
	TraceSHA256 string `json:"trace_sha256,omitempty"` // its hash
}

// KindTrace is the kind of the keys of a trace.
const KindTrace = "trace"

// Distribution returns the name of the distribution of the keys in records.
func (k Keys) Distribution() string {
	if k.Trace != "" {
		return KindTrace
	}
	return k.Popularity.Name()
}

// traced reports whether a trace says which keys are asked for.
func (f Files) traced() bool { return f.Trace != "" || f.TraceSHA256 != "" }

// EquallyPopular reports whether all keys of the database are asked for, each as often as any other.
func (k Keys) EquallyPopular() bool {
	return k.Trace == "" && k.KeysFile == "" && k.Popularity.Uniform()
}

// Check rejects settings that conflict with a trace, and shares and popularities that do not exist.
func (k Keys) Check() error {
	settings := k.Settings()
	if err := Conflict(settings, func(name string) bool {
		return slices.ContainsFunc(Flags(settings, name), func(f Flag) bool { return f.given })
	}); err != nil {
		return err
	}
	if !(k.Absent >= 0 && k.Absent <= 1) {
		return fmt.Errorf("invalid share of absent keys, %v: choose 0 to 1", k.Absent)
	}
	return k.Popularity.Check()
}

// MostKeysFile is the size in bytes that a keys file may have.
const MostKeysFile = 1 << 30

// Identified returns the keys with the checksum of their file, which is empty if that cannot be read or is too large.
func (k Keys) Identified() Keys {
	k.KeysSHA256 = ""
	if fi, err := os.Stat(k.KeysFile); err == nil && fi.Size() <= MostKeysFile {
		k.KeysSHA256, _ = filesystem.SHA256(k.KeysFile)
	}
	return k
}

// ParseHotset parses a share of the keys and their share of the Gets, such as 1%:90%.
func ParseHotset(s string) (h popularity.Hotset, err error) {
	keys, gets, _ := strings.Cut(s, ":")
	h.Keys, err = units.ParseShare(keys)
	if err == nil {
		h.Gets, err = units.ParseShare(gets)
	}
	if err != nil {
		return h, errors.New("want a share of the keys and their share of the Gets, such as 1%:90%")
	}
	if h.Keys == 0 {
		return h, errors.New("want more than 0% of the keys")
	}
	return h, popularity.Popularity{Hotset: h}.Check()
}

// ParseAbsent parses the share of Gets of absent keys. A small number without a per cent sign may be
// a fraction, and is refused.
func ParseAbsent(s string) (float64, error) {
	digits := strings.TrimSuffix(s, "%")
	p, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || !(p >= 0 && p <= 100):
		return 0, errors.New("want a share such as 10%, from 0% to 100%")
	case digits == s && p > 0 && p < 1:
		return 0, fmt.Errorf("want %s%% or %g%%: say which", digits, 100*p)
	}
	return p / 100, nil
}
