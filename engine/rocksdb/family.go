//go:build rocksdb

package rocksdb

import (
	"encoding/hex"
	"strings"
)

// Names of column families are bytes; Besu's are single ones such as 1. Those that are not printable are
// written in hexadecimal.
const hexPrefix = "0x"

// familyText writes a column family's name.
func familyText(name string) string {
	printable := !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
	if printable && !strings.HasPrefix(name, hexPrefix) {
		return name
	}
	return hexPrefix + hex.EncodeToString([]byte(name))
}

// familyName returns the name that a text from familyText, or from a user, stands for.
func familyName(text string) string {
	if digits, ok := strings.CutPrefix(text, hexPrefix); ok {
		if name, err := hex.DecodeString(digits); err == nil {
			return string(name)
		}
	}
	return text
}

// familyOf names the section of an options file that belongs to a column family, as RocksDB writes it
// (options/options_helper.cc, EscapeOptionString).
func familyOf(section, name string) string {
	return section + ` "` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "#", `\#`, ":", `\:`).Replace(name) + `"`
}
