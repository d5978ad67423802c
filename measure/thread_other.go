//go:build !linux

package measure

import "errors"

// RequireThreads returns an error where threads cannot be identified.
func RequireThreads() error {
	return errors.New("reads can be attributed to Gets only on Linux: measure without --distribution, or on Linux")
}

// threadID is never asked for: RequireThreads comes first.
func threadID() int { return 0 }
