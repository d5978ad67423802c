package trace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// File is a trace that was read once from end to end: every line of it makes sense.
type File struct {
	Path       string
	SHA256     string // in hexadecimal
	Operations int64
	Warmup     int64 // how many of them come before those that are measured
	Kind       Kind
	Records    int // that each operation asks for
}

// Check reads a trace through. progress, which may be nil, is told the operations
// read so far now and then. A run is of operations of one kind that ask for as many
// records each, or its figures would be of nothing in particular.
func Check(ctx context.Context, path string, progress func(operations int64)) (*File, error) {
	r, err := NewReader(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f := &File{Path: path, Warmup: r.warmup}
	var o Operation
	for {
		err := r.Next(&o)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if f.Operations == 0 {
			f.Kind, f.Records = o.Kind, o.Records()
		}
		if o.Kind != f.Kind || o.Records() != f.Records {
			return nil, r.wrong(fmt.Errorf("%s of %d where the lines before are %s of %d: a run is of operations of one kind and length, divide the trace",
				o.Kind, o.Records(), f.Kind, f.Records))
		}
		if f.Operations++; f.Operations%checkEvery == 0 {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if progress != nil {
				progress(f.Operations)
			}
		}
	}
	switch {
	case f.Operations == 0:
		return nil, fmt.Errorf("%s has no operations: write one a line, as docs/traces.md describes it", path)
	case f.Operations <= f.Warmup:
		return nil, fmt.Errorf("%s, line 1: warmup=%d leaves none of the %d operations to be measured: take less", path, f.Warmup, f.Operations)
	}
	f.SHA256, err = hashOf(path)
	return f, err
}

// checkEvery is how many operations come between two looks at the context.
const checkEvery = 1 << 14

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the trace cannot be read: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("the trace cannot be read: %w", err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// ErrChanged is the error of a trace that is another one than was checked.
var ErrChanged = errors.New("it was changed while it was read, so no figure of this run is valid")
