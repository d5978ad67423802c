//go:build !linux

package measure

import "errors"

// RequireThreads refuses a distribution where threads cannot be told apart.
func RequireThreads() error {
	return errors.New("which Get makes a read is only known on Linux: measure without --distribution, or on Linux")
}

// threadID is never asked for: RequireThreads comes first.
func threadID() int { return 0 }
