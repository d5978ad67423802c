package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"getio/workload/dataset"
)

// moment tells whether what a script waits for has come. pid is the process that it is about.
type moment func(pid int) bool

// momentLimit is how long a moment is waited for.
const momentLimit = 10 * time.Minute

// moments by name, each with the arguments that follow in NAME:ARG:ARG.
var moments = map[string]func(ts *testscript.TestScript, args []string) (moment, error){
	// exists:GLOB: a file of that name is there.
	"exists": func(ts *testscript.TestScript, args []string) (moment, error) {
		return func(int) bool { return countFiles(ts.MkAbs(args[0])) > 0 }, nil
	},
	// abandoned:GLOB: a directory of that name is locked by no process any more.
	"abandoned": func(ts *testscript.TestScript, args []string) (moment, error) {
		return func(int) bool { return isUnlocked(ts.MkAbs(args[0])) }, nil
	},
	// tables:DIR:N: a database has at least so many tables.
	"tables": func(ts *testscript.TestScript, args []string) (moment, error) {
		n, err := strconv.Atoi(args[1])
		dir := ts.MkAbs(args[0])
		return func(int) bool { return countFiles(filepath.Join(dir, tablePattern(dir))) >= n }, err
	},
	// reading:DIR: the process has a table of a database open.
	"reading": func(ts *testscript.TestScript, args []string) (moment, error) {
		return func(pid int) bool { return hasOpenTable(pid, ts.MkAbs(args[0])) }, nil
	},
	// lines:FILE:N: a file has at least so many lines.
	"lines": func(ts *testscript.TestScript, args []string) (moment, error) {
		n, err := strconv.Atoi(args[1])
		return func(int) bool {
			data, _ := os.ReadFile(ts.MkAbs(args[0]))
			return bytes.Count(data, []byte("\n")) >= n
		}, err
	},
	// durable:DIR:N: a load has made so many keys durable.
	"durable": func(ts *testscript.TestScript, args []string) (moment, error) {
		n, err := strconv.ParseUint(args[1], 10, 64)
		return func(int) bool {
			m, err := dataset.Read(ts.MkAbs(args[0]))
			return err == nil && (m.Complete || m.Progress.Durable >= n)
		}, err
	},
	// updated:DIR: a round of updates has begun.
	"updated": func(ts *testscript.TestScript, args []string) (moment, error) {
		return func(int) bool {
			m, err := dataset.Read(ts.MkAbs(args[0]))
			return err == nil && len(m.Updates) > 0
		}, nil
	},
}

func countFiles(glob string) int {
	files, _ := filepath.Glob(glob)
	return len(files)
}

func isUnlocked(glob string) bool {
	dirs, _ := filepath.Glob(glob)
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if err != nil {
			continue
		}
		err = unix.Flock(int(d.Fd()), unix.LOCK_SH|unix.LOCK_NB)
		unix.Flock(int(d.Fd()), unix.LOCK_UN) // a program that another script starts may share it for a moment
		d.Close()
		if err == nil {
			return true
		}
	}
	return false
}

func hasOpenTable(pid int, dir string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		file, _ := os.Readlink(link)
		if strings.HasPrefix(file, dir+"/") && (strings.HasSuffix(file, ".sst") || strings.HasSuffix(file, ".ldb")) {
			return true
		}
	}
	return false
}

func parseMoment(ts *testscript.TestScript, text string) moment {
	fields := strings.Split(text, ":")
	parse := moments[fields[0]]
	if parse == nil || len(fields) < 2 {
		ts.Fatalf("%q is no moment", text)
	}
	m, err := parse(ts, fields[1:])
	ts.Check(err)
	return m
}

// await looks until the moment has come, or the process has ended.
func await(ts *testscript.TestScript, text string, pid int, ended <-chan error) {
	m := parseMoment(ts, text)
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	limit := time.After(momentLimit)
	for !m(pid) {
		select {
		case err := <-ended:
			ts.Fatalf("the program ended before %s (%v)", text, err)
		case <-limit:
			ts.Fatalf("%s did not come within %v", text, momentLimit)
		case <-look.C:
		}
	}
}

func scriptAwait(ts *testscript.TestScript, _ bool, args []string) {
	await(ts, args[0], os.Getpid(), nil)
}
