package statedb

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"getio/engine/engines"
	"getio/outside/adapter"
	"getio/outside/adapter/adaptertest"
	"getio/outside/counter"
	"getio/outside/served"
	"getio/record"
)

// Environment variables that make the test binary an adapter.
const (
	engineVariable = "GETIO_STATE_ENGINE"
	faultVariable  = "GETIO_STATE_FAULT"
)

func TestMain(m *testing.M) {
	if fault, ok := os.LookupEnv(faultVariable); ok {
		os.Exit(adaptertest.Main(adaptertest.Fault(fault)))
	}
	name, ok := os.LookupEnv(engineVariable)
	if !ok {
		os.Exit(m.Run())
	}
	e, err := engines.All().ByName(name)
	if err == nil {
		err = adapter.Serve(os.Stdin, os.Stdout, served.New(context.Background(), e))
	}
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

func self(t *testing.T, variable, value string) Store {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(variable, value)
	return Store{Name: "store", Command: []string{path}}
}

// plan returns a small plan. It skips the test if reads cannot be counted from outside.
func plan(t *testing.T, outside bool) *Plan {
	t.Helper()
	p := &Plan{Keys: 2000, Values: "random", ValueSize: 110, Seed: 7, Lookups: 100, Outside: outside, Place: counter.Place{ImageIn: t.TempDir()}}
	if outside {
		c, err := counter.New(counter.Place{ImageIn: p.Place.ImageIn, Bytes: 64 << 20})
		if err != nil {
			t.Skip(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// TestOutsideAndInsideAgree compares the reads that the engines expect with an empty page
// cache with those of the device, in number and bytes.
func TestOutsideAndInsideAgree(t *testing.T) {
	p := plan(t, true)
	p.Shares = []float64{0.01, 0.2, 1}
	for _, e := range engines.Available() {
		t.Run(e.Name(), func(t *testing.T) {
			s := self(t, engineVariable, e.Name())
			r, err := p.Measure(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Checks.Hold() || len(r.Checks) != 10 {
				t.Errorf("checks: %+v", r.Checks)
			}
			if len(r.Rows) != 2 || r.Row(record.LookupsWithProof) != nil {
				t.Fatalf("rows: %+v", r.Rows)
			}
			for _, row := range r.Rows {
				if row.OwnReads == nil || math.Abs(*row.OwnReads-row.Cold.Reads) > 0.01*row.Cold.Reads {
					t.Errorf("%s: %+v", row.Kind, row)
				}
				holdBudgets(t, row)
			}
			if existing := r.Rows[0].Cold; existing.Reads < 1 || existing.Bytes < 4096 || existing.Lookups != p.Lookups {
				t.Errorf("%+v", existing)
			}
			if r.AnonymousBytes <= 0 || r.DiskBytes < int64(p.Keys)*100 || r.Load.Seconds <= 0 || r.Load.CPUSeconds <= 0 || r.Counted != record.CountedOutside {
				t.Errorf("%+v", r)
			}
			if !p.Matches(r, s) {
				t.Error("it would be measured again")
			}
			other := *p
			other.Seed++
			if other.Matches(r, s) {
				t.Error("it is taken for one of another seed")
			}
		})
	}
}

// holdBudgets checks that more page cache never reads more.
func holdBudgets(t *testing.T, row record.StateRow) {
	t.Helper()
	last := row.Cold.Reads * 1.1 // the lookups differ
	for _, b := range row.Budgets {
		if b.Reads.Reads > last || b.Warmup == 0 || b.Reads.Lookups == 0 {
			t.Errorf("%s with %.0f%%: %+v, and %.3f reads with less", row.Kind, 100*b.Share, b, last)
		}
		last = b.Reads.Reads
	}
	if len(row.Budgets) != 3 || last > 0.05 {
		t.Errorf("with a page cache for the whole store a lookup of %s reads %.3f", row.Kind, last)
	}
}

// TestInside measures without a counter, by the engine's own counts.
func TestInside(t *testing.T) {
	p := plan(t, false)
	s := self(t, engineVariable, "pebblev2")
	r, err := p.Measure(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2 || r.Counted != record.CountedInside || r.AnonymousBytes != 0 || !p.Matches(r, s) {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Rows {
		if row.OwnReads == nil || row.Cold.Reads != *row.OwnReads || row.Cold.Reads <= 0 || row.Cold.Bytes <= 0 || len(row.Budgets) > 0 {
			t.Errorf("%+v", row)
		}
	}
	if left, err := os.ReadDir(p.Place.ImageIn); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind (%v)", left, err)
	}
}

// TestFaults checks that every fault has its own sentence and that nothing is left behind.
func TestFaults(t *testing.T) {
	for fault, says := range map[adaptertest.Fault]string{
		adaptertest.None:         "does not count its own reads",
		adaptertest.Dies:         "and said: the model has seen enough",
		adaptertest.WrongValue:   "it returned another value for key ",
		adaptertest.OtherVersion: "speaks version 9 of the protocol",
		adaptertest.TooLarge:     "a frame of 4294967295 bytes",
	} {
		t.Run(string(fault), func(t *testing.T) {
			p := plan(t, false)
			p.Lookups = 200 // the model answers the first hundred correctly
			s := self(t, faultVariable, string(fault))
			s.Configuration = "bytes"
			if _, err := p.Measure(t.Context(), s); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %q", err, says)
			}
			if left, err := os.ReadDir(p.Place.ImageIn); err != nil || len(left) > 0 {
				t.Errorf("%v is left behind (%v)", left, err)
			}
		})
	}
}

func TestKeysAndValuesMustFit(t *testing.T) {
	p := plan(t, false)
	s := self(t, faultVariable, "")
	if _, err := p.Measure(t.Context(), s); err == nil || !strings.Contains(err.Error(), "takes keys of 20 to 20 bytes, not 32") {
		t.Error(err)
	}
	s.Configuration = "bytes"
	p.ValueSize = 70_000
	if _, err := p.Measure(t.Context(), s); err == nil || !strings.Contains(err.Error(), "takes values of 0 to 65536 bytes, not 70000") {
		t.Error(err)
	}
	s.Configuration = "none"
	if _, err := p.Measure(t.Context(), s); err == nil || !strings.Contains(err.Error(), "no configuration") {
		t.Error(err)
	}
}

func TestInterruption(t *testing.T) {
	p := plan(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	p.Progress = func(phase string, done, _ uint64, _ string) {
		if strings.Contains(phase, "existing") && done > 10 {
			cancel()
		}
	}
	if _, err := p.Measure(ctx, self(t, engineVariable, "goleveldb")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(p.Place.ImageIn); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind (%v)", left, err)
	}
}

// TestOwnCountsMustMatchDevice allows a difference of 1% in reads and bytes, and more device
// reads only where the kernel splits reads.
func TestOwnCountsMustMatchDevice(t *testing.T) {
	for _, c := range []struct {
		own          engineCounts
		reads, bytes float64
		holds        bool
	}{
		{engineCounts{1000, 1 << 20, 0}, 1000, 1 << 20, true},
		{engineCounts{1000, 1 << 20, 0}, 1009, 1 << 20, true},
		{engineCounts{1000, 1 << 20, 0}, 1011, 1 << 20, false},
		{engineCounts{1000, 1 << 20, 0}, 989, 1 << 20, false},
		{engineCounts{1000, 1 << 20, 0}, 1000, 1.02 * (1 << 20), false},
		{engineCounts{1000, 1 << 20, 3}, 1100, 1 << 20, true},
		{engineCounts{1000, 1 << 20, 3}, 900, 1 << 20, false},
		{engineCounts{1000, 1 << 20, 3}, 1100, 0.98 * (1 << 20), false},
		{engineCounts{1000, 1 << 20, 0}, 0, 0, false},
	} {
		if check := c.own.checkAgainst(c.reads, c.bytes); check.OK != c.holds {
			t.Errorf("%+v", check)
		}
	}
}

// TestInterval: the interval of the lookups is that of Student's t, and one lookup has none.
func TestInterval(t *testing.T) {
	var s spread
	s.add(4)
	if s.mean() != 4 || s.ci95() != nil {
		t.Errorf("%v, %v of one lookup", s.mean(), s.ci95())
	}
	for _, reads := range []float64{1, 2, 3} {
		s.add(reads)
	}
	// The variance of the sample is 5/3, and the quantile for 3 degrees of freedom 3.182446.
	half := 3.182446305 * math.Sqrt(5.0/3/4)
	if ci := s.ci95(); s.mean() != 2.5 || math.Abs(ci[0]-(2.5-half)) > 1e-8 || math.Abs(ci[1]-(2.5+half)) > 1e-8 {
		t.Errorf("%v, %v, want 2.5 ± %v", s.mean(), ci, half)
	}
}

// TestFillReachesLargestBudget checks that the lookups touch as many different pages as the
// budget holds.
func TestFillReachesLargestBudget(t *testing.T) {
	for _, share := range []float64{0.01, 0.2, 0.5, 0.9} {
		m := &measurement{Plan: &Plan{Shares: []float64{share / 2, share}}, record: &record.State{DiskBytes: 4096 * 10_000}}
		n := m.fill()
		distinct := 10_000 * (1 - math.Exp(-float64(n)/10_000))
		if distinct < share*10_000 || float64(n) > 1.3*-math.Log(1-share)*10_000 {
			t.Errorf("%d lookups ask for %.0f pages, to fill %.0f", n, distinct, share*10_000)
		}
	}
}
