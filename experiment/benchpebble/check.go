package benchpebble

import (
	"errors"
	"fmt"

	"getio/dataset"
	pebblev1 "getio/engine/pebble/v1"
	"getio/measure/database"
	"getio/system/machine"
)

// Limits against typing errors.
const (
	maxThreads  = 4096
	maxCacheMiB = 1 << 26
)

// check refuses what cannot succeed, before anything is made. It sets the number of keys of a
// dataset that determines it.
func (o *Options) check() error {
	switch {
	case o.Keys == 0:
		return errors.New("invalid -T 0: want at least 1 key")
	case o.CacheMiB < 1 || o.CacheMiB > maxCacheMiB:
		return fmt.Errorf("invalid -c %d: want a cache of 1 to %d MiB", o.CacheMiB, maxCacheMiB)
	case o.Threads < 1 || o.Threads > maxThreads:
		return fmt.Errorf("invalid -t %d: want 1 to %d threads", o.Threads, maxThreads)
	case o.Reads < 0:
		return fmt.Errorf("invalid -r %d: want 0 reads or more", o.Reads)
	}
	if err := machine.FitsCache(o.CacheMiB << 20); o.Insert || err != nil {
		return err
	}
	return o.checkDatabase()
}

func (o *Options) checkDatabase() error {
	root, m, err := database.Locate(o.Path)
	switch {
	case err != nil:
		return fmt.Errorf("%w, or insert keys with -i", err)
	case m == nil && o.Writes > 0:
		return fmt.Errorf("-w would change %s, which getio did not make: it only updates databases that bench_pebble -i or 'getio load' made", o.Path)
	case m == nil:
		_, err := pebblev1.Engine.Recognise(o.Path)
		return err
	}
	if err := database.RequireComplete(root, m); err != nil {
		return err
	}
	switch {
	case m.Engine != pebblev1.Engine.Name():
		return fmt.Errorf("%s was written by %s, and bench_pebble reads with %s: use 'getio measure %s'", root, m.Engine, pebblev1.Engine.Name(), root)
	case m.Keyspace != dataset.KeyspaceKeccak:
		return fmt.Errorf("%s holds %s keys, and bench_pebble reads keccak keys: use 'getio measure %s'", root, m.Keyspace, root)
	case o.AnyKeys:
		o.Keys = m.Keys
	case o.Keys > m.Keys:
		return fmt.Errorf("%s holds %d keys, fewer than -T %d: name at most as many as were inserted", root, m.Keys, o.Keys)
	}
	return nil
}
