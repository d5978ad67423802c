package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// replaceFile writes a file whole, or leaves what is there as it is. What a symbolic
// link points to is replaced, not the link. The mode is that of the file that was there,
// or what the umask leaves to a new one. The error does not name the file.
func replaceFile(path string, data []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil {
		path = target
	} else if _, e := os.Lstat(path); e == nil {
		return errors.New("it is a symbolic link that leads to no file")
	}
	temp, err := createBeside(path)
	if err != nil {
		return nameless(err)
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if there, e := os.Stat(path); e == nil && err == nil {
		err = temp.Chmod(there.Mode().Perm())
	}
	if e := temp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	return nameless(err)
}

// requireReplaceable refuses a file that cannot be written, before there is anything to write
// to it. It is named by its flag.
func requireReplaceable(path, flag string) error {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return fmt.Errorf("%s is no file that can be written anew: name another one with %s", path, flag)
	}
	if err := unix.Access(filepath.Dir(path), unix.W_OK); err != nil {
		return fmt.Errorf("%s cannot be written (%w): name another file with %s", path, err, flag)
	}
	return nil
}

// createBeside makes a file in the directory of path. os.CreateTemp would keep it from
// everybody else, whatever the umask.
func createBeside(path string) (*os.File, error) {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".getio-%016x", rand.Uint64()))
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// nameless leaves out the temporary file's name, which nobody knows.
func nameless(err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		return file.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
