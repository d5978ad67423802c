package main

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"
	"getio/measure/workload"
)

// choiceFlags are the flags that say how to open a database.
func choiceFlags(c *cobra.Command, choice *database.OpenOptions) {
	f := c.Flags()
	f.StringVar(&choice.Engine, "engine", "", "engine: "+engineNames()+" (default: the dataset's own, or the one that recognises the database)")
	f.StringVar(&choice.Preset, "preset", "", "configuration: "+presetNames())
	f.StringArrayVar(&choice.Options, "option", nil, "override one option of the preset, NAME=VALUE (repeatable)")
}

// engineNames lists the engines, and says which of them this binary lacks.
func engineNames() string {
	var names []string
	for _, e := range engines.All() {
		name := e.Name()
		if other := engine.Alias(name); other != "" {
			name += " (also called " + other + ")"
		}
		if len(e.Presets()) == 0 {
			name += " (not built in)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func presetNames() string {
	var names []string
	for _, e := range engines.All() {
		if len(e.Presets()) == 0 {
			continue
		}
		names = append(names, fmt.Sprintf("%s (%s)", strings.Join(e.Presets(), ", "), e.Name()))
	}
	return strings.Join(names, "; ")
}

// liveFlag lets a command read a database that is in use.
func liveFlag(c *cobra.Command, choice *database.OpenOptions) {
	c.Flags().BoolVar(&choice.Live, "live", false, "the database is in use: read a copy of it, of links to its tables, beside it, and remove it")
}

// directory is the one positional argument of most commands.
func directory(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes one directory, not %d arguments: see '%s --help'", c.CommandPath(), len(args), c.CommandPath())
	}
	if args[0] == "" {
		return fmt.Errorf("%s takes a directory, and this name is empty: name one", c.CommandPath())
	}
	return nil
}

// askFlags are the flags that say which keys to ask for.
type askFlags struct {
	seed     uint64
	absent   string
	keysFile string
	popularityFlags
}

func (a *askFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.Uint64Var(&a.seed, "seed", 1, "seed of the keys that are asked for")
	f.StringVar(&a.absent, "absent", "0%", "share of the Gets that ask for keys that were never written")
	f.StringVar(&a.keysFile, "keys-file", "", "ask for the keys listed in this file, one in hexadecimal per line")
	a.popularityFlags.register(c)
}

func (a *askFlags) ask() (database.KeySource, error) {
	digits := strings.TrimSuffix(a.absent, "%")
	p, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(p >= 0 && p <= 100) {
		return database.KeySource{}, fmt.Errorf("--absent %q is no share: write it like 10%%, from 0%% to 100%%", a.absent)
	}
	if digits == a.absent && p > 0 && p < 1 {
		return database.KeySource{}, fmt.Errorf("--absent %q might be %s%% or %g%%: say which", a.absent, digits, 100*p)
	}
	popular, err := a.popularity()
	return database.KeySource{Random: workload.Random{Seed: a.seed, Absent: p / 100, Popularity: popular}, KeysFile: a.keysFile}, err
}

// maxCount is beyond what a machine can write or read in its life.
const maxCount = 1e15

// parseCount reads a number of keys or Gets; 10M, 2B and 1e6 are allowed.
func parseCount(name, s string) (int64, error) {
	scale := 1.0
	digits := strings.ReplaceAll(s, "_", "")
	for suffix, by := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9, "G": 1e9} {
		if d, ok := strings.CutSuffix(digits, suffix); ok {
			digits, scale = d, by
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	n *= scale
	if err != nil || n != math.Trunc(n) {
		return 0, fmt.Errorf("%s %q is no whole number: write it like 200000, 10M or 2B", name, s)
	}
	if n < 0 || n > maxCount {
		return 0, fmt.Errorf("%s %q is out of range: take a number up to %.0e", name, s, maxCount)
	}
	return int64(n), nil
}

// maxShare, in per cent, is beyond what a share can be meant to be.
const maxShare = 1e6

// checkShare refuses a share, or a list of them, that is too large to reckon
// with. What is no share at all is left to its own parser.
func checkShare(name, list, of string) error {
	for _, s := range strings.Split(list, ",") {
		digits, ok := strings.CutSuffix(s, "%")
		if p, err := strconv.ParseFloat(digits, 64); ok && err == nil && p > maxShare {
			return fmt.Errorf("%s %q is out of range: take up to %.0f%% of the %s", name, s, maxShare, of)
		}
	}
	return nil
}

func defaultWorkers() int { return runtime.NumCPU() }

// maxWorkers and maxShards catch slips of the pen.
const (
	maxWorkers = 4096
	maxShards  = 4096
)

func checkWorkers(n int) error {
	if n < 1 || n > maxWorkers {
		return fmt.Errorf("--workers %d is out of range: take 1 to %d", n, maxWorkers)
	}
	return nil
}
