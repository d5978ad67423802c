// Package filesum computes checksums of files.
package filesum

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"getio/system/filesystem"
)

// SHA256 returns the SHA-256 of a file's bytes, in hexadecimal.
func SHA256(path string) (string, error) {
	f, err := filesystem.OpenRegular(path)
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
