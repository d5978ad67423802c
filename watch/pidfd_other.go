//go:build !linux

package watch

import "errors"

func pidfdOpen(int) (int, error) { return 0, errors.ErrUnsupported }
