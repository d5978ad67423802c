package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"getio/dataset/popularity"
	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"
	"getio/measure/workload"
	"getio/numbers/units"
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
	c.Flags().BoolVar(&choice.Live, "live", false, "the database is in use: read a temporary copy beside it, made of hard links to its tables")
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

// askFlags are the flags that choose the keys of Gets.
type askFlags struct {
	seed       uint64
	absent     float64
	keysFile   string
	popularity popularity.Popularity
}

func (a *askFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.Uint64Var(&a.seed, "seed", 1, "seed of the keys")
	absentVar(f, &a.absent)
	f.StringVar(&a.keysFile, "keys-file", "", "Get the keys listed in this file, one per line in hexadecimal")
	popularityVar(f, &a.popularity)
}

func (a *askFlags) ask() (database.KeySource, error) {
	return database.KeySource{
		Random:   workload.Random{Seed: a.seed, Absent: a.absent, Popularity: a.popularity},
		KeysFile: a.keysFile,
	}, a.popularity.Check()
}

// absentVar adds --absent. A small number without a per cent sign may be a fraction.
func absentVar(f *pflag.FlagSet, to *float64) {
	flagVar(f, to, "absent", "share", "0%", func(s string) (float64, error) {
		digits := strings.TrimSuffix(s, "%")
		p, err := strconv.ParseFloat(digits, 64)
		switch {
		case err != nil || !(p >= 0 && p <= 100):
			return 0, errors.New("want a share such as 10%, from 0% to 100%")
		case digits == s && p > 0 && p < 1:
			return 0, fmt.Errorf("want %s%% or %g%%: say which", digits, 100*p)
		}
		return p / 100, nil
	}, "share of the Gets whose keys were never written")
}

// popularityVar adds the flags for how often each key is asked for.
func popularityVar(f *pflag.FlagSet, to *popularity.Popularity) {
	numberVar(f, &to.Zipf, "zipf", "0", false, popularity.MaxZipf, "exponent of a Zipf distribution of the keys; 0: all keys alike")
	flagVar(f, &to.Hotset, "hotset", "share:share", "", parseHotset, "a share of the keys gets a share of the Gets, such as 1%:90%")
}

func parseHotset(s string) (h popularity.Hotset, err error) {
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

// Limits against typing errors.
const (
	maxWorkers = 4096
	maxShards  = 4096
)

func workersVar(f *pflag.FlagSet, to *int, usage string) {
	countVar(f, to, "workers", strconv.Itoa(defaultWorkers()), 1, maxWorkers, usage)
}

func shardsVar(f *pflag.FlagSet, to *int, usage string) {
	countVar(f, to, "shards", "0", 0, maxShards, usage)
}

func defaultWorkers() int { return runtime.NumCPU() }
