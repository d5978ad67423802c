package filesystem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"
)

// OpenRegular opens a file for reading. It refuses what is not a file at once, where os.Open would
// wait for the other end of a named pipe.
func OpenRegular(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil {
		err = CheckRegular(path, fi.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CheckRegular returns an error if a file of this mode is neither a file nor a directory. Symbolic
// links are to be followed before.
func CheckRegular(path string, mode fs.FileMode) error {
	if mode.IsRegular() || mode.IsDir() {
		return nil
	}
	what := "a special file"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	case mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return fmt.Errorf("%s is %s, not a file", path, what)
}

// SHA256 returns the SHA-256 of a file's bytes, in hexadecimal.
func SHA256(path string) (string, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ReadRegular reads a file of at most most bytes. It refuses a larger one, what is not a file, and a file that ends
// before its size, as after a failure of the device or of a network: what follows would pass for not there.
func ReadRegular(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		err = fmt.Errorf("larger than %s", humanize.IBytes(uint64(most)))
	case int64(len(data)) < fi.Size():
		err = fmt.Errorf("it ends after %d of its %d bytes", len(data), fi.Size())
	default:
		return data, nil
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: err}
}
