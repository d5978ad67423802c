package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"getio/engine/engines"
	"getio/internal/adaptertest"
	"getio/workload/dataset"
)

// holdDatabase is a program that holds a dataset's database open for writing
// until it is killed: hold-db DIR FILE [DB]. It writes its number to FILE when it does. DB is
// another database that was loaded as the dataset's.
func holdDatabase() {
	if err := hold(os.Args[1], os.Args[2], os.Args[3:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	select {}
}

func hold(dir, file string, other ...string) error {
	m, err := dataset.Read(dir)
	if err != nil {
		return err
	}
	e, err := engines.All().ByName(m.Engine)
	if err != nil {
		return err
	}
	cfg, err := e.Configure(m.Preset, m.Overrides())
	if err != nil {
		return err
	}
	db := m.DBDir(dir)
	if len(other) > 0 {
		db = other[0]
	}
	loader, err := e.Resume(db, cfg)
	if err != nil {
		return err
	}
	// Once settled, it changes nothing any more.
	if err := loader.Settle(context.Background(), nil); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// modelAdapter is the program model-adapter of the scripts: a store behind the
// protocol that goes wrong as its argument says.
func modelAdapter() {
	fault := adaptertest.None
	if len(os.Args) > 1 {
		fault = adaptertest.Fault(os.Args[1])
	}
	os.Exit(adaptertest.Main(fault))
}
