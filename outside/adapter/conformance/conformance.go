// Package conformance tests an adapter against the protocol. It runs a complete session with
// each of its configurations on a small generated state, and compares every value.
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

// Plan says what to test.
type Plan struct {
	// Command starts the adapter. It is run several times.
	Command []string
	// Dir is an empty directory for the stores.
	Dir string
	// Keys is the initial number of keys.
	Keys int
	Seed uint64
	// Options override single options of every configuration.
	Options    []string
	CacheBytes uint64
	// Timeout is how long the adapter may be silent; 0 takes the default of each request.
	Timeout time.Duration
}

// Step is a step that the adapter passed.
type Step struct {
	Configuration string // empty if the step concerns none
	Name          string
	Detail        string // what was seen, such as a root; often empty
}

// Failure is a violation of the protocol.
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

// Run runs all steps and calls passed after each. The error is the first Failure, or what
// prevented the test.
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

// greet starts the adapter and ends it, before any store is made.
func (p Plan) greet(ctx context.Context, passed func(Step)) (adapter.Hello, error) {
	client, err := p.start(ctx)
	if err != nil {
		return adapter.Hello{}, failed(ctx, "", "hello", err)
	}
	hello := client.Hello()
	passed(Step{Name: "hello", Detail: fmt.Sprintf("%s %s", hello.Engine, hello.EngineVersion)})
	const without = "refuses without a store"
	_, err = client.Stats()
	if err := requireRefused(err); err != nil {
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
