// Package pagecache lists the pages of files that the kernel holds in memory and drops them,
// including those that other processes have mapped.
package pagecache

import (
	"errors"
	"os"
)

// Page is the unit of the page cache, in bytes.
var Page = int64(os.Getpagesize())

// Drop writes back and drops the pages of a file. It returns the number of bytes that stayed in
// memory, or 0 on kernels before 6.5, which do not report it.
func Drop(f *os.File) (stayed int64, err error) {
	fd := int(f.Fd())
	if err := dropPages(fd); err != nil {
		return 0, err
	}
	stat, err := cached(fd)
	if errors.Is(err, errNoCachestat) {
		return 0, nil
	}
	return int64(stat.Cache) * Page, err
}

// Cached returns how many bytes of a file are in the page cache. Linux before 6.5 and other kernels do not
// tell; then known is false.
func Cached(f *os.File) (bytes int64, known bool, err error) {
	stat, err := cached(int(f.Fd()))
	if errors.Is(err, errNoCachestat) {
		return 0, false, nil
	}
	return int64(stat.Cache) * Page, err == nil, err
}

// errNoCachestat means Linux before 6.5, another kernel, or a sandbox that forbids the call.
var errNoCachestat = errors.New("the kernel has no cachestat")
