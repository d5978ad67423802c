package watch

import (
	"fmt"
	"slices"
	"strings"

	"getio/engine/goleveldb/ldbfile"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/record"
	"getio/watch/goprogram"
	"getio/watch/probe"
)

// library is a key-value store whose lookups and reads can be told apart from outside.
type library struct {
	name   string // as people say it
	family string // the same without a version
	module string
	pkg    string   // whose functions it is about
	gets   []string // the functions through which every lookup goes
	passed probe.Registers
	cached string // the function that looks a block up in the cache
	block  probe.BlockRegisters
	// opensPastCache: what is read to open a table is not looked up in the cache.
	opensPastCache bool
	causes         []rule
	// opens returns iterators, and seeks position them, but no Get calls them.
	opens     string
	seeks     []string
	maps      func() *region.Live
	starts    func(file uint64, path string, bytes int64) ([][]byte, error) // of data blocks
	extension string                                                        // of table files
	version   int                                                           // of Pebble
}

// rule names the cause of a read if one of its callers is a method of the library.
type rule struct {
	cause  record.ReadCause
	method string // ends in "." if it begins the names of several
}

func (r *rule) fits(method string) bool {
	if strings.HasSuffix(r.method, ".") {
		return strings.HasPrefix(method, r.method)
	}
	return method == r.method
}

// libraries are those that getio can watch. Lookups enter where a function is too large to be
// inlined: Pebble's Get is inlined into its callers, getInternal is not.
var libraries = []*library{
	{
		name: "Pebble v1", family: "Pebble", module: "github.com/cockroachdb/pebble", pkg: "github.com/cockroachdb/pebble",
		gets: []string{"(*DB).getInternal"}, passed: probe.KeyFirst,
		cached: "github.com/cockroachdb/pebble/internal/cache.(*shard).Get", block: probe.BlockAfterID,
		causes: pebbleCauses, opens: "(*DB).newIter", seeks: pebbleSeeks, maps: sstfile.Live, starts: sstfile.Starts, extension: ".sst", version: 1,
	},
	{
		name: "Pebble v2", family: "Pebble", module: "github.com/cockroachdb/pebble/v2", pkg: "github.com/cockroachdb/pebble/v2",
		gets: []string{"(*DB).getInternal"}, passed: probe.KeyFirst,
		cached: "github.com/cockroachdb/pebble/v2/internal/cache.(*shard).getWithMaybeReadEntry", block: probe.BlockAfterID,
		causes: pebbleCauses, opens: "(*DB).newIter", seeks: pebbleSeeks, maps: sstfile.Live, starts: sstfile.Starts, extension: ".sst", version: 2,
	},
	{
		name: "goleveldb", family: "goleveldb", module: "github.com/syndtr/goleveldb", pkg: "github.com/syndtr/goleveldb/leveldb",
		gets: []string{"(*DB).get", "(*DB).has"}, passed: probe.KeyAfterTables,
		cached: "github.com/syndtr/goleveldb/leveldb/cache.(*Cache).Get", block: probe.BlockFirst, opensPastCache: true,
		causes: goleveldbCauses, opens: "(*DB).newIterator", seeks: []string{"(*dbIter).Seek", "(*dbIter).First", "(*dbIter).Last"}, maps: ldbfile.Live, starts: ldbfile.Starts, extension: ".ldb",
	},
}

// pebbleSeeks are the methods that position iterators, after inlining. First is not among them: Gets
// call it.
var pebbleSeeks = []string{"(*Iterator).SeekGEWithLimit", "(*Iterator).SeekPrefixGE", "(*Iterator).SeekLTWithLimit", "(*Iterator).Last"}

// The entry points of the libraries' own work and of iterators. The outermost caller that fits
// decides: a compaction also iterates.
var (
	pebbleCauses = []rule{
		{record.CauseOpen, "Open"},
		{record.CauseCompaction, "(*DB).compact"}, {record.CauseCompaction, "(*DB).compact1"}, {record.CauseCompaction, "(*DB).runCompaction"},
		{record.CauseFlush, "(*DB).flush"}, {record.CauseFlush, "(*DB).flush1"},
		{record.CauseStatistics, "(*DB).collectTableStats"},
		{record.CauseIngestion, "(*DB).ingest"},
		{record.CauseIterator, "(*Iterator)."}, {record.CauseIterator, "(*DB).newIter"}, {record.CauseIterator, "finishInitializingIter"},
		{record.CauseIterator, "(*DB).ScanInternal"},
	}
	goleveldbCauses = []rule{
		{record.CauseOpen, "Open"}, {record.CauseOpen, "OpenFile"}, {record.CauseOpen, "openDB"},
		{record.CauseFlush, "(*DB).mCompaction"}, {record.CauseFlush, "(*DB).memCompaction"},
		{record.CauseCompaction, "(*DB).tCompaction"}, {record.CauseCompaction, "(*DB).tableCompaction"},
		{record.CauseIterator, "(*dbIter)."}, {record.CauseIterator, "(*DB).newRawIterator"},
	}
)

// lookup is a function of a program through which a library looks keys up.
type lookup struct {
	library *library
	entry   probe.Entry
}

// lookupsOf returns the lookup functions of all libraries that a program is built with.
func lookupsOf(p *goprogram.Program) (found []lookup, err error) {
	for _, l := range libraries {
		l := l.in(p)
		gets, err := p.Entries(func(name string) bool { return l.has(name, l.gets...) })
		if err != nil {
			return nil, err
		}
		for _, f := range gets {
			found = append(found, lookup{l, probe.Entry{Entry: f, Registers: l.passed}})
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("process %d uses neither Pebble nor goleveldb, whose lookups getio can watch: count the reads of other stores with 'getio count'", p.PID)
	}
	return found, nil
}

// in returns the library as a program has it. A module of Pebble that names no version in its path may be v1, or one of
// the development versions before and after it (v0.0.0-..., which have no version here): the build says which. Without
// that, as in tests of Go, the function that v1 looks blocks up with does.
func (l *library) in(p *goprogram.Program) *library {
	version := p.Module(l.module)
	if l.version == 0 || strings.HasPrefix(version, fmt.Sprintf("v%d.", l.version)) ||
		version == "" && p.Has(l.isCached) {
		return l
	}
	development := *l
	development.name, development.version = l.family, 0
	return &development
}

func (l *library) isCached(function string) bool { return function == l.cached }

// has reports whether a function is one of some methods of the library.
func (l *library) has(function string, methods ...string) bool {
	method, ok := l.method(function)
	return ok && slices.Contains(methods, method)
}

// offsets returns where calls of methods of the library pass; none if calls of one cannot be counted.
func (l *library) offsets(p *goprogram.Program, methods ...string) (all []uint64) {
	found, _ := p.Entries(func(name string) bool { return l.has(name, methods...) })
	for _, f := range found {
		all = append(all, f.Offset)
	}
	return all
}

// method strips the library's package from the name of one of its functions.
func (l *library) method(function string) (string, bool) {
	return strings.CutPrefix(function, l.pkg+".")
}

// iterators are the libraries whose iterators and their seeks the kernel counts, each with the first of its two groups
// of seeks.
type iterators map[*library]int

// countIterators adds the iterators of each library and their seeks to what the kernel counts. Where it cannot, as in a
// program that never makes an iterator, they stay unknown.
func countIterators(p *goprogram.Program, libraries []*library, t *probe.Target) iterators {
	counted := iterators{}
	for _, l := range libraries {
		opens, seeks := l.offsets(p, l.opens), l.offsets(p, l.seeks...)
		if len(opens) > 0 && len(seeks) > 0 {
			counted[l] = len(t.Seeks)
			t.Seeks = append(t.Seeks, opens, seeks)
		}
	}
	return counted
}

// describe returns nil unless all iterators of the library are of the database, which is one of the process's.
func (i iterators) describe(d *database, all []*database, p *probe.Probe) (*record.WatchedIterators, error) {
	l, known := d.library()
	first, counted := i[l]
	if !known || !counted || slices.ContainsFunc(all, func(o *database) bool { return o != d && slices.Contains(o.likely, l) }) {
		return nil, nil
	}
	calls, err := p.Seeks()
	if err != nil {
		return nil, err
	}
	return &record.WatchedIterators{Opened: int64(calls[first]), Seeks: int64(calls[first+1])}, nil
}
