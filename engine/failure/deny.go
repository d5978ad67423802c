package failure

import "fmt"

// Denied is the error for a write to a database that was opened for reading.
func Denied(what, name string) error {
	return fmt.Errorf("refused to %s %s: the database is opened read-only", what, name)
}
