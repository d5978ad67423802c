package main

import (
	"context"
	"errors"

	"getio/load"
	"getio/record"
)

// stopped is the error of a command that was interrupted and says what is kept.
type stopped string

func (s stopped) Error() string { return "interrupted: " + string(s) }

// Unwrap makes it a context.Canceled.
func (stopped) Unwrap() error { return context.Canceled }

// interrupted returns the message for an interruption that has none.
func interrupted(err error) error {
	var byLoad *load.Interrupted
	var byCommand stopped
	var byJournal *record.Unfinished
	switch {
	case errors.As(err, &byCommand):
		return byCommand
	case errors.As(err, &byJournal):
		return byJournal
	case errors.As(err, &byLoad):
		return byLoad
	}
	return stopped("no database was changed, and an unfinished run gives no figure")
}
