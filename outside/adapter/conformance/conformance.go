// Package conformance holds an adapter to the protocol: it goes through a whole
// session with each of its configurations, on a small state that it makes, and
// compares every value.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"getio/outside/adapter"
)

// Plan is what is asked of an adapter.
type Plan struct {
	// Command starts the adapter; it is run more than once.
	Command []string
	// Dir is an empty directory for the stores.
	Dir string
	// Keys is how many the state has at first.
	Keys int
	Seed uint64
	// Options override single options of every configuration.
	Options    []string
	CacheBytes uint64
	// Timeout is how long the adapter may be silent; 0 is what requests usually take.
	Timeout time.Duration
}

// Step is one thing that was asked of the adapter, and answered as it has to be.
type Step struct {
	Configuration string // empty of steps that are not about one
	Name          string
	Detail        string // what there was to see, such as a root; often empty
}

// Failure is where an adapter does not keep to the protocol.
type Failure struct {
	Configuration string
	Step          string
	Err           error
}

func (f *Failure) Error() string {
	if f.Configuration == "" {
		return fmt.Sprintf("%s: %v", f.Step, f.Err)
	}
	return fmt.Sprintf("configuration %s, %s: %v", f.Configuration, f.Step, f.Err)
}

func (f *Failure) Unwrap() error { return f.Err }

// Run asks all that a Plan asks. passed is told of every step, as it is done. The
// error is the first Failure, or what kept the test from being made.
func (p Plan) Run(ctx context.Context, passed func(Step)) (adapter.Hello, error) {
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

// greet starts the adapter and ends it again, before any store is made.
func (p Plan) greet(ctx context.Context, passed func(Step)) (adapter.Hello, error) {
	client, err := p.start(ctx)
	if err != nil {
		return adapter.Hello{}, failed(ctx, "", "hello", err)
	}
	hello := client.Hello()
	passed(Step{Name: "hello", Detail: fmt.Sprintf("%s %s", hello.Engine, hello.EngineVersion)})
	const without = "refuses without a store"
	if err := refusedBy(func() error { _, err := client.Stats(); return err }); err != nil {
		client.End()
		return hello, failed(ctx, "", without, err)
	}
	passed(Step{Name: without})
	if err := client.End(); err != nil {
		return hello, failed(ctx, "", "end", err)
	}
	return hello, nil
}

func failed(ctx context.Context, configuration, step string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if absent := (*adapter.NotStarted)(nil); errors.As(err, &absent) {
		return err
	}
	return &Failure{configuration, step, err}
}

func (p Plan) start(ctx context.Context) (*adapter.Client, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Env = os.Environ()
	return adapter.Start(ctx, cmd, p.Timeout)
}
