package cgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// v2 is a group in the unified hierarchy (Linux, Documentation/admin-guide/cgroup-v2.rst).
type v2 struct{ dir string }

// account has nothing to do: all reads are counted.
func (v2) account(uint64) error { return nil }

func (v v2) start(cmd *exec.Cmd) error {
	dir, err := os.Open(v.dir)
	if err != nil {
		return fmt.Errorf("the control group %s cannot be entered: %w", v.dir, err)
	}
	defer dir.Close()
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.UseCgroupFD = true
	cmd.SysProcAttr.CgroupFD = int(dir.Fd())
	return cmd.Start()
}

func (v v2) reads(device uint64) (Count, error) {
	data, err := os.ReadFile(filepath.Join(v.dir, "io.stat"))
	if err != nil {
		return Count{}, fmt.Errorf("the account of the control group %s cannot be read: %w", v.dir, err)
	}
	c, err := parseIOStat(string(data), deviceName(device))
	if err != nil {
		return Count{}, fmt.Errorf("the account of the control group %s is not understood: %w", v.dir, err)
	}
	return c, nil
}

// parseIOStat finds the line of a device, such as
//
//	7:0 rbytes=81920000 wbytes=0 rios=20000 wios=0 dbytes=0 dios=0
//
// One that nothing was read of may have none.
func parseIOStat(text, device string) (c Count, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != device {
			continue
		}
		for _, field := range fields[1:] {
			key, value, _ := strings.Cut(field, "=")
			switch key {
			case "rios":
				c.Reads, err = strconv.ParseInt(value, 10, 64)
			case "rbytes":
				c.Bytes, err = strconv.ParseInt(value, 10, 64)
			}
			if err != nil {
				return Count{}, err
			}
		}
	}
	return c, nil
}

func (v v2) memory() (m Memory, err error) {
	if m.Used, err = number(v.dir, "memory.current"); err != nil {
		return m, err
	}
	all, err := figures(v.dir, "memory.stat")
	m.Files, m.Anonymous = all["file"], all["anon"]
	return m, err
}

func (v v2) limit(bytes int64) error {
	text := strconv.FormatInt(bytes, 10)
	if bytes == Unlimited {
		text = "max"
	}
	// Anonymous memory is not to make room for the page cache. Where nothing can be
	// swapped, there is no such file.
	if err := write(v.dir, "memory.swap.max", "0"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return write(v.dir, "memory.max", text)
}

// reclaim asks for all that the group has. That less can be had is no error.
func (v v2) reclaim() error {
	used, err := number(v.dir, "memory.current")
	if err != nil {
		return err
	}
	err = write(v.dir, "memory.reclaim", strconv.FormatInt(used, 10))
	switch {
	case errors.Is(err, unix.EAGAIN):
		return nil
	case errors.Is(err, os.ErrNotExist):
		return v.squeeze()
	}
	return err
}

// squeeze reclaims where Linux is older than 5.19. What runs in the group meanwhile is
// slowed down.
func (v v2) squeeze() error {
	if err := write(v.dir, "memory.high", "0"); err != nil {
		return err
	}
	return write(v.dir, "memory.high", "max")
}
