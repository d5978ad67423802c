//go:build !linux

package pagecache

import (
	"errors"

	"golang.org/x/sys/unix"
)

// The page cache can be looked into and emptied on Linux only.

func dropPages(int) error { return errors.ErrUnsupported }

type cachestat struct{ Cache uint64 }

func cached(int) (stat cachestat, err error) { return stat, errNoCachestat }

func resident(_, _ []byte) error { return errors.ErrUnsupported }

func disableReadahead(_, _ int) error { return errors.ErrUnsupported }

func ofProcess(int, func(fd int) error) error { return errors.ErrUnsupported }

func (area) pageOut(int) unix.Errno { return unix.ENOTSUP }
