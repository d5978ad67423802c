// Package conformance is the suite that an adapter must pass. It runs a complete session of the
// protocol with each of the adapter's configurations on a small generated state, kills the adapter in
// the middle of commits, and compares every value.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"getio/record"
	"getio/statedb/adapter"
	"getio/system/tempdir"
)

// Plan says what to test.
type Plan struct {
	// Command starts the adapter. It is run several times.
	Command []string
	// Dir is an empty directory for the stores; Check chooses it.
	Dir string
	// Keys is the initial number of keys.
	Keys int
	// Kills is the number of commits in the middle of which the adapter is killed.
	Kills int
	Seed  uint64
	// Options override single options of every configuration.
	Options    []string
	CacheBytes uint64
	// Timeout is how long the adapter may be silent; 0 takes the default of each request.
	Timeout time.Duration
}

// Limits of a plan. The state is held in memory.
const (
	LeastKeys = 10
	MostKeys  = 1_000_000
	MostKills = 10_000
)

// Failure is a violation of the protocol.
type Failure struct {
	Configuration string
	Step          string
	Err           error
}

func (f *Failure) Error() string {
	in := ""
	if f.Configuration != "" {
		in = "configuration " + f.Configuration + ", "
	}
	return fmt.Sprintf("%s%s: %v (statedb/adapter/protocol.md says what each request has to do)", in, f.Step, f.Err)
}

func (f *Failure) Unwrap() error { return f.Err }

// temporaryPrefix names the temporary directories of checks.
const temporaryPrefix = "getio-adapter-"

// Check runs all steps in a temporary directory in another one, and calls passed after each. It
// returns the record of an adapter that passed them all.
func (p Plan) Check(ctx context.Context, in string, passed func(record.AdapterStep)) (r *record.AdapterCheck, err error) {
	// This user may lack the permission to remove what others left.
	_, _ = tempdir.RemoveAbandoned(in, temporaryPrefix)
	dir, err := tempdir.New(in, temporaryPrefix)
	if err != nil {
		return nil, fmt.Errorf("cannot create a directory for the stores in %s (%w): choose another one with --dir", in, err)
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	p.Dir = dir.Path
	r = &record.AdapterCheck{
		Schema: record.AdapterCheckSchema, Time: time.Now().UTC().Truncate(time.Second), Command: p.Command, Keys: p.Keys, Seed: p.Seed,
	}
	hello, err := p.Run(ctx, func(s record.AdapterStep) {
		r.Steps = append(r.Steps, s)
		passed(s)
	})
	r.Engine, r.EngineVersion = hello.Engine, hello.EngineVersion
	for _, c := range hello.Configurations {
		r.Configurations = append(r.Configurations, c.String())
	}
	return r, err
}

// Run runs all steps in p.Dir and calls passed after each. The error is the first Failure, or what
// prevented the test.
func (p Plan) Run(ctx context.Context, passed func(record.AdapterStep)) (adapter.Hello, error) {
	hello, err := p.greet(ctx, passed)
	if err != nil {
		return hello, err
	}
	for _, c := range hello.Configurations {
		t := &trial{
			Plan: p, ctx: ctx, passed: passed, configuration: c,
			dir: filepath.Join(p.Dir, fmt.Sprintf("store-%s", c.Name)),
		}
		if err := t.run(); err != nil {
			return hello, err
		}
	}
	return hello, nil
}

// greet starts the adapter and ends it, before any store is made.
func (p Plan) greet(ctx context.Context, passed func(record.AdapterStep)) (adapter.Hello, error) {
	client, err := p.start(ctx)
	if err != nil {
		return adapter.Hello{}, failed(ctx, "", "hello", err)
	}
	hello := client.Hello()
	passed(record.AdapterStep{Name: "hello", Detail: fmt.Sprintf("%s %s", hello.Engine, hello.EngineVersion)})
	const without = "refuses without a store"
	_, err = client.Stats()
	if err := requireRefused(err); err != nil {
		client.End()
		return hello, failed(ctx, "", without, err)
	}
	passed(record.AdapterStep{Name: without})
	if err := client.End(); err != nil {
		return hello, failed(ctx, "", "end", err)
	}
	return hello, nil
}

func failed(ctx context.Context, configuration, step string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, absent := errors.AsType[*adapter.NotStarted](err); absent {
		return err
	}
	return &Failure{configuration, step, err}
}

func (p Plan) start(ctx context.Context) (*adapter.Client, error) {
	return adapter.Start(ctx, exec.Command(p.Command[0], p.Command[1:]...), p.Timeout)
}
