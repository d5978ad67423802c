// Probe loads a tree with one engine, makes Gets of many kinds, and prints what the engine
// counted from outside and the patched library from inside. It only builds with patched
// libraries.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"getio/engine"
	"getio/engine/groundtruth"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
)

func main() {
	var options list
	name := flag.String("engine", "", "the engine")
	dir := flag.String("dir", "", "an empty directory for the database")
	keys := flag.Uint64("keys", 200_000, "keys to load")
	gets := flag.Int("gets", 20_000, "Gets of each window")
	newest := flag.Bool("newest", false, "write the newest format that the library knows")
	flag.Var(&options, "option", "NAME=VALUE; repeatable")
	flag.Parse()
	if *newest {
		options = append(options, newestFormat(*name))
	}
	report, err := probe(*name, *dir, options, *keys, *gets)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(report)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(v string) error { *l = append(*l, v); return nil }

func probe(name, dir string, options []string, keys uint64, gets int) (*groundtruth.Report, error) {
	e, err := engine.Registry{pebblev1.Engine, pebblev2.Engine}.ByName(name)
	if err != nil {
		return nil, err
	}
	cfg, err := e.Configure("", options)
	if err != nil {
		return nil, err
	}
	d, err := newDataset(keys)
	if err != nil {
		return nil, err
	}
	if err := load(e, dir, cfg, d); err != nil {
		return nil, fmt.Errorf("load: %w", err)
	}
	store, err := e.OpenStore(context.Background(), dir, cfg)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	report := &groundtruth.Report{
		Engine: name, Version: e.Version(),
		Format: store.Info().Format, TableFormats: store.Info().TableFormats,
		Levels: levels(store.Shape()),
	}
	p := &prober{engine: e, dir: dir, cfg: cfg, dataset: d, inside: insideOf(name), report: report}
	return report, p.all(gets)
}
