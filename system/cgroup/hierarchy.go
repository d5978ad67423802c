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

// Hierarchy holds the mount points of the machine's control groups.
type Hierarchy struct {
	unified        string // of version 2; empty if it lacks a controller
	memory, blocks string // of version 1
}

// Find finds the hierarchies for memory and block I/O: version 2 if it has both controllers, else
// version 1.
func Find() (Hierarchy, error) {
	mounts, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup", "cgroup2"))
	if err != nil {
		return Hierarchy{}, fmt.Errorf("cannot find the control groups: %w", err)
	}
	return among(mounts)
}

func among(mounts []*mountinfo.Info) (h Hierarchy, err error) {
	for _, m := range mounts {
		options := strings.Split(m.VFSOptions, ",")
		switch {
		case m.FSType == "cgroup2" && hasControllers(m.Mountpoint):
			return Hierarchy{unified: m.Mountpoint}, nil
		case m.FSType == "cgroup" && slices.Contains(options, "memory"):
			h.memory = m.Mountpoint
		case m.FSType == "cgroup" && slices.Contains(options, "blkio"):
			h.blocks = m.Mountpoint
		}
	}
	if h.memory == "" || h.blocks == "" {
		return Hierarchy{}, errors.New("there are no control groups for both memory and block I/O: mount them (cgroup2 with its controllers memory and io, or cgroup with memory and blkio)")
	}
	return h, nil
}

// controllers lists the controllers of version 2 that a group needs.
var controllers = []string{"memory", "io"}

// hasControllers reports whether a hierarchy of version 2 has these controllers.
func hasControllers(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	has := strings.Fields(string(data))
	return err == nil && !slices.ContainsFunc(controllers, func(c string) bool { return !slices.Contains(has, c) })
}

// Make makes a group. Its name must be unused.
func (h Hierarchy) Make(name string) (*Group, error) {
	g := h.group(name)
	for i, dir := range slices.Backward(g.dirs) {
		err := os.Mkdir(dir, 0o755)
		if err != nil {
			remove(g.dirs[i+1:])
		} else if h.unified != "" && i > 0 {
			if err = enableControllers(dir); err != nil {
				remove(g.dirs[i:])
			}
		}
		if err != nil {
			return nil, fmt.Errorf("cannot make a control group in %s (%w): run as root, where /sys is writable", filepath.Dir(dir), err)
		}
	}
	return g, nil
}

// CleanUp removes the named group if a process left it behind, and kills its processes.
func (h Hierarchy) CleanUp(name string) error { return h.group(name).Remove() }

func (h Hierarchy) group(name string) *Group {
	if h.unified != "" {
		// Processes are in an inner group. Its parent enables the controllers for it; while
		// it does, nobody can disable them.
		outer := filepath.Join(h.unified, name)
		inner := filepath.Join(outer, "measured")
		return &Group{version: v2{inner}, dirs: []string{inner, outer}}
	}
	g := v1{memoryDir: filepath.Join(h.memory, name), blocksDir: filepath.Join(h.blocks, name)}
	return &Group{version: g, dirs: slices.Compact([]string{g.memoryDir, g.blocksDir})} // equal if mounted together
}

// enableControllers enables the controllers for the group in dir and for the groups in it. Its
// parent keeps them enabled afterwards.
func enableControllers(dir string) error {
	for _, at := range []string{filepath.Dir(dir), dir} {
		for _, c := range controllers {
			if err := write(at, "cgroup.subtree_control", "+"+c); err != nil {
				return err
			}
		}
	}
	return nil
}
