package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"getio/outside/adapter/conformance"
	"getio/record"
	directories "getio/system/tempdir"
)

// checkFlags are the flags of adapter check.
type checkFlags struct {
	keys    int
	seed    uint64
	dir     string
	options []string
	timeout time.Duration
	json    bool
}

func adapterCheckCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [flags] -- COMMAND [ARGS...]",
		Short: "Check that an adapter follows the protocol",
		Long: `check starts an adapter and runs complete sessions with each of its configurations,
on a small state in a temporary directory: load, commit, updates, lookups of present and
absent keys, proofs and false claims, dropped caches, a kill and a restart, and requests
that must be refused. Every value is compared. The exit code is 0 only if the adapter
did everything as docs/adapter.md says.`,
		Example: `  getio adapter check -- bin/getio-nomt
  getio adapter check --keys 100k -- getio adapter serve --engine pebblev2`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("adapter check needs an adapter: name its command behind --, such as 'getio adapter check -- ./my-adapter'")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	fs := c.Flags()
	countVar(fs, &f.keys, "keys", "2000", leastCheckKeys, mostCheckKeys, "keys of the state, such as 2000 or 100k")
	fs.Uint64Var(&f.seed, "seed", 1, "seed of keys and values")
	fs.StringVar(&f.dir, "dir", os.TempDir(), "directory for the temporary directory of the stores")
	fs.StringArrayVar(&f.options, "option", nil, "an option for the adapter, NAME=VALUE (repeatable)")
	durationVar(fs, &f.timeout, "timeout", maxTimeout, "how long the adapter may be silent, such as 30s (default: 30s for hello, 1m for lookups, 10m for the rest)")
	fs.BoolVar(&f.json, "json", false, "print the result as one line of JSON")
	c.Annotations = map[string]string{cleansUp: ""}
	return c
}

// checkPrefix begins the names of temporary directories.
const checkPrefix = "getio-adapter-"

// maxTimeout catches typing errors.
const maxTimeout = 24 * time.Hour

// The check holds the state in memory.
const (
	leastCheckKeys = 10
	mostCheckKeys  = 1_000_000
)

func (f *checkFlags) run(c *cobra.Command, command []string) (err error) {
	// This user may lack the permission to remove what others left.
	_, _ = directories.RemoveAbandoned(f.dir, checkPrefix)
	dir, err := directories.New(f.dir, checkPrefix)
	if err != nil {
		return fmt.Errorf("cannot create a directory for the stores in %s (%w): choose another one with --dir", f.dir, err)
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	plan := conformance.Plan{
		Command: command, Dir: dir.Path, Keys: f.keys, Seed: f.seed, Options: f.options, Timeout: f.timeout,
	}
	return f.check(c, plan)
}

// stepWidth is the width of the longest name of a step.
const stepWidth = 34

func (f *checkFlags) check(c *cobra.Command, plan conformance.Plan) error {
	out := c.OutOrStdout()
	if f.json {
		out = io.Discard
	}
	began := time.Now()
	result := record.AdapterCheck{Schema: record.AdapterCheckSchema, Time: began.UTC().Truncate(time.Second), Command: plan.Command, Keys: plan.Keys, Seed: plan.Seed}
	last := ""
	hello, err := plan.Run(c.Context(), func(s conformance.Step) {
		if s.Configuration != last {
			last = s.Configuration
			fmt.Fprintf(out, "\nconfiguration %s\n", s.Configuration)
		}
		line := fmt.Sprintf("  %-*s ok   %s", stepWidth, s.Name, s.Detail)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
		result.Steps = append(result.Steps, record.AdapterStep(s))
	})
	var failed *conformance.Failure
	switch {
	case errors.Is(err, context.Canceled):
		return stopped("the adapter was ended, and its stores are removed")
	case errors.As(err, &failed):
		fmt.Fprintf(out, "  %-*s failed\n", stepWidth, failed.Step)
		return fmt.Errorf("%w (docs/adapter.md says what each request has to do)", err)
	case err != nil:
		return err
	}
	fmt.Fprintln(out)
	for _, configuration := range hello.Configurations {
		fmt.Fprintln(out, configuration)
	}
	fmt.Fprintf(out, "%s %s follows the protocol: %d steps in %.1fs\n", hello.Engine, hello.EngineVersion, len(result.Steps), time.Since(began).Seconds())
	if f.json {
		result.Engine, result.EngineVersion = hello.Engine, hello.EngineVersion
		return record.WriteLine(c.OutOrStdout(), result)
	}
	return nil
}
