package loading

import "fmt"

// Guard runs work on a library until it returns or the library fails. In the latter case
// work is abandoned, because its calls may never return; it must close the library itself.
func Guard(library interface{ Failed() <-chan error }, work func() error) error {
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case err := <-library.Failed():
		return fmt.Errorf("the library failed while writing: %w", err)
	}
}
