//go:build !linux

package device

import "errors"

// supports returns an error for a way to treat the page cache that needs Linux.
func supports(pages PageCache) error {
	if pages == Keep {
		return nil
	}
	return errors.New("--page-cache cold and bypass need Linux: leave --page-cache out to read through the page cache as it is")
}

func setDirect(int) error { return errors.ErrUnsupported }

func threadBytes() int64 { return 0 }
