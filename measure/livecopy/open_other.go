//go:build !linux

package livecopy

import (
	"errors"
	"fmt"
	"os"
)

// Supported returns an error: only Linux can link to a file that is held open, whatever its name stands for meanwhile.
func Supported(dir string) error {
	return fmt.Errorf("linking to the files of a database, as --live does, needs Linux: stop the process that has %s open, or work on a copy", dir)
}

func (c *Copy) open(string) (*os.File, error) { return nil, errors.ErrUnsupported }
