package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"
)

// Hierarchy is where the machine has its control groups.
type Hierarchy struct {
	unified        string // of version 2; empty if it lacks a controller
	memory, blocks string // of version 1
}

// Find finds the hierarchies of memory and block I/O: version 2 if it has both, or else
// those of version 1.
func Find() (Hierarchy, error) {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return Hierarchy{}, fmt.Errorf("where the control groups are is not known: %w", err)
	}
	return among(mounts)
}

func among(mounts []*mountinfo.Info) (h Hierarchy, err error) {
	for _, m := range mounts {
		options := strings.Split(m.VFSOptions, ",")
		switch {
		case m.FSType == "cgroup2" && controls(m.Mountpoint):
			return Hierarchy{unified: m.Mountpoint}, nil
		case m.FSType == "cgroup" && slices.Contains(options, "memory"):
			h.memory = m.Mountpoint
		case m.FSType == "cgroup" && slices.Contains(options, "blkio"):
			h.blocks = m.Mountpoint
		}
	}
	if h.memory == "" || h.blocks == "" {
		return Hierarchy{}, errors.New("there are no control groups for both memory and block I/O here: mount them (cgroup2 with its controllers memory and io, or cgroup with memory and blkio)")
	}
	return h, nil
}

// controllers are those of version 2 that a group needs.
var controllers = []string{"memory", "io"}

// controls tells whether a hierarchy of version 2 has them.
func controls(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	has := strings.Fields(string(data))
	return err == nil && !slices.ContainsFunc(controllers, func(c string) bool { return !slices.Contains(has, c) })
}

// Make makes a group of a name that no other has.
func (h Hierarchy) Make(name string) (*Group, error) {
	g := h.group(name)
	for i, dir := range slices.Backward(g.dirs) {
		err := os.Mkdir(dir, 0o755)
		if err != nil {
			remove(g.dirs[i+1:])
		} else if err = enable(dir, h.unified != "" && i > 0); err != nil {
			remove(g.dirs[i:])
		}
		if err != nil {
			return nil, fmt.Errorf("no control group can be made in %s (%w): run as root, where /sys can be written", filepath.Dir(dir), err)
		}
	}
	return g, nil
}

// CleanUp removes the group of a name that a process left, if there is one, and kills what
// is in it.
func (h Hierarchy) CleanUp(name string) error { return h.group(name).Remove() }

func (h Hierarchy) group(name string) *Group {
	if h.unified != "" {
		// Processes are in a group within one that hands the controllers down: as long as
		// it does, nobody can take them from it.
		outer := filepath.Join(h.unified, name)
		inner := filepath.Join(outer, "measured")
		return &Group{version: v2{inner}, dirs: []string{inner, outer}}
	}
	g := v1{memoryDir: filepath.Join(h.memory, name), blocksDir: filepath.Join(h.blocks, name)}
	dirs := []string{g.memoryDir, g.blocksDir}
	if g.memoryDir == g.blocksDir { // mounted together
		dirs = dirs[:1]
	}
	return &Group{version: g, dirs: dirs}
}

// enable hands the controllers down to the group in dir, and from it to those within, if
// it is an outer one. Where its parent did not hand them down yet, it goes on doing so.
func enable(dir string, outer bool) error {
	if !outer {
		return nil
	}
	for _, at := range []string{filepath.Dir(dir), dir} {
		for _, c := range controllers {
			if err := write(at, "cgroup.subtree_control", "+"+c); err != nil {
				return err
			}
		}
	}
	return nil
}
