package device

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Account is what the kernel accounts to this process.
type Account struct {
	// Bytes that were read from devices for it, whichever of its threads and files
	// they were for, readahead included, as task I/O accounting has it
	// (/proc/self/io, read_bytes: Linux, Documentation/filesystems/proc.rst).
	Bytes int64
	// Faults are pages of its own code and mappings that had to be read, the bytes
	// of which are in Bytes (getrusage, ru_majflt).
	Faults int64
}

// Sub returns what was accounted between q and a.
func (a Account) Sub(q Account) Account { return Account{a.Bytes - q.Bytes, a.Faults - q.Faults} }

// Add returns both accounts' sum.
func (a Account) Add(q Account) Account { return Account{a.Bytes + q.Bytes, a.Faults + q.Faults} }

// accountPath is where the kernel keeps the account.
var accountPath = "/proc/self/io"

// Accounted reads the account so far. It fails where the kernel keeps none or does
// not show it.
func Accounted() (Account, error) {
	data, err := os.ReadFile(accountPath)
	if err != nil {
		return Account{}, fmt.Errorf("the kernel's account of this process's reads cannot be read (%w)", err)
	}
	for line := range strings.Lines(string(data)) {
		value, ok := strings.CutPrefix(line, "read_bytes:")
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			break
		}
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			return Account{}, fmt.Errorf("the kernel does not tell how many pages this process faulted in (%w)", err)
		}
		return Account{Bytes: n, Faults: int64(u.Majflt)}, nil
	}
	return Account{}, fmt.Errorf("the kernel's account of this process's reads has no read_bytes (%s)", accountPath)
}
