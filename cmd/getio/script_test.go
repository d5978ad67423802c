package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"getio/engine/rocksdb"
	"getio/internal/probetest"
	"getio/statedb/mdbx"
)

// scriptCommands are what the scripts can say beside testscript's own words.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	// dataset DIR ENGINE: a small dataset of sharedKeys keys.
	"dataset": scriptDataset,
	// unfinished DIR ENGINE: the same, as an interrupted load leaves it.
	"unfinished": scriptUnfinished,
	// published DIR: the published database small, virtual. Its files are links to what
	// other tests read: they may be removed, and not written to.
	"published": scriptPublished,
	// leveldb DIR log|tables: a LevelDB database.
	"leveldb": scriptLevelDB,
	// blobs DIR N: a RocksDB database of N keys in column family 0x01; half of the values lie in blob files.
	"blobs": scriptBlobs,
	// mdbx DIR: an MDBX database of 5,000 records.
	"mdbx": scriptMDBX,
	// zstd DIR: a database of Pebble v1 that only newer libraries can read.
	"zstd": scriptZstd,
	// results: the records of the reproductions, and those of predictions, as files.
	"results": scriptResults,
	// picture FILE FORMAT: the file is a whole picture.
	"picture": scriptPicture,
	// damage KIND DIR: spoils the database in DIR.
	"damage": scriptDamage,
	// keyfile FILE DIR N: a file of the first N keys of the dataset in DIR.
	"keyfile": scriptKeyFile,

	// refuses REGEXP PROGRAM ARGS...: it ends with one sentence that matches,
	// prints no result and leaves everything as it was.
	"refuses": scriptRefuses,
	// interrupts MOMENT REGEXP PROGRAM ARGS...: Ctrl-C at that moment.
	"interrupts": scriptInterrupts,
	// kills MOMENT PROGRAM ARGS...: kill -9 at that moment.
	"kills": scriptKills,
	// await MOMENT: waits for it.
	"await": scriptAwait,

	// remember DIR; unchanged DIR: not a byte of it has changed in between.
	"remember":  scriptRemember,
	"unchanged": scriptUnchanged,
	// whole DIR N: the dataset has exactly N keys, each with its value.
	"whole": scriptWhole,
	// sametables A B: two datasets have the same tables, to the byte.
	"sametables": scriptSameTables,
	// json FILE PATH REGEXP: the field has such a value, in every line.
	// ! json FILE PATH: no line has the field.
	"json": scriptJSON,
	// samefield A B PATH: the field has the same value in both, line by line.
	"samefield": scriptSameField,
	// samefigures A B: two files have the same records, but for times and machines.
	"samefigures": scriptSameFigures,
	// quiet [REGEXP]: the last program said nothing on standard error, or nothing but one line that matches. Progress,
	// which a slow machine is told, is nothing.
	"quiet": scriptQuiet,
	// says REGEXP: standard output has it, wherever its lines break.
	"says": scriptSays,
	// lines FILE N: so many lines.
	"lines": scriptLines,
	// believable FILE: every line is a record whose checks all held.
	"believable": scriptBelievable,

	// slurm: a cluster of two nodes, whose configuration is in $SLURM_CONF.
	"slurm": scriptSlurm,
	// occupy VAR: a port that is in use, as an address in a variable.
	"occupy": scriptOccupy,
	// tmpfs DIR SIZE: a file system of that size; again to resize it.
	"tmpfs": scriptTmpfs,
	// readonly FROM DIR: a mount of FROM that cannot be written.
	"readonly": scriptReadOnly,
	// chaindata DIR: the genuine database of a node, by a symbolic link.
	"chaindata": scriptChaindata,
	// chainlog DIR ENGINE: a part of its keys, all of them in the write-ahead log.
	"chainlog": scriptChainLog,
	// chainkeys FILE: its known keys as a file of keys.
	"chainkeys": scriptChainKeys,
}

// scriptCondition answers what a script asks of the machine in brackets.
func scriptCondition(cond string) (bool, error) {
	switch cond {
	case "slow":
		return raceDetector, nil
	case "mount":
		return canMount(), nil
	case "rocksdb":
		return !rocksdb.Missing, nil
	case "cgo":
		info, _ := debug.ReadBuildInfo()
		return slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "1"}), nil
	case "device":
		return onDevice(), nil
	case "mdbx":
		_, err := mdbx.New()
		return err == nil, nil
	case "counter":
		return canCount(), nil
	case "watch":
		return probetest.Rights() == nil, nil
	case "slurm":
		return canRunSlurm() == nil, nil
	case "chaindata":
		_, err := chaindataSource()
		return err == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

func scriptSays(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.Join(strings.Fields(ts.ReadFile("stdout")), " ")
	if regexp.MustCompile(args[0]).MatchString(text) == neg {
		ts.Fatalf("%q is said: %v, in %s", args[0], neg, text)
	}
}
