package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"getio/record"
)

// findHolders finds the processes that have files of the database open, apart from this one. Only
// root sees those of other users. They are not known on other kernels than Linux.
func (e *examination) findHolders() {
	if runtime.GOOS != "linux" {
		return
	}
	e.OpenBy = []record.Holder{}
	processes, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, process := range processes {
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil || pid == os.Getpid() || !e.holds(process) {
			continue
		}
		name, _ := os.ReadFile(filepath.Join(process, "comm")) // empty if it ended
		e.OpenBy = append(e.OpenBy, record.Holder{PID: pid, Command: strings.TrimSpace(string(name))})
	}
	slices.SortFunc(e.OpenBy, func(a, b record.Holder) int { return a.PID - b.PID })
}

// holds reports whether a process, given by its directory in /proc, has one of the files open.
func (e *examination) holds(process string) bool {
	descriptors, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return false // it ended, or belongs to another user
	}
	return slices.ContainsFunc(descriptors, func(d os.DirEntry) bool {
		fi, err := os.Stat(filepath.Join(process, "fd", d.Name()))
		return err == nil && e.files[idOf(fi)]
	})
}
