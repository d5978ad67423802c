package trace

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// File describes a trace that Check has read completely and found valid.
type File struct {
	Path       string
	SHA256     string // in hexadecimal
	Operations int64
	Warmup     int64 // the number of operations before the measured ones
	Kind       Kind
	Records    int // per operation
}

// Check reads a complete trace and validates it. All operations must be of one kind and look
// up the same number of records; otherwise figures per operation would be meaningless.
// progress, which may be nil, is called now and then with the number of operations read.
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
			return nil, r.wrong(fmt.Errorf("%s of %d after %s of %d: a run needs operations of one kind and length; split the trace",
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
		return nil, fmt.Errorf("%s has no operations: write one per line, as described in docs/traces.md", path)
	case f.Operations <= f.Warmup:
		return nil, fmt.Errorf("%s, line 1: warmup=%d leaves none of the %d operations to measure: use a smaller warm-up", path, f.Warmup, f.Operations)
	}
	f.SHA256, err = hashOf(path)
	return f, err
}

// checkEvery is the number of operations between two checks of the context.
const checkEvery = 1 << 14

func hashOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the trace: %w", err)
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("cannot read the trace: %w", err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// ErrChanged means that the trace has changed since Check read it.
var ErrChanged = errors.New("the file changed while it was being read, so no figure of this run is valid")
