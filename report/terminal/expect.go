package terminal

import (
	"fmt"
	"time"
)

// worthSaying is how long a command must take to say so before.
const worthSaying = 10 * time.Second

// Expect says how long a command will take if that is worth saying. until is when it ends at the latest,
// the zero Time if nothing bounds it.
func (p *Progress) Expect(least, most time.Duration, until time.Time) {
	if least >= worthSaying {
		fmt.Fprintln(p.out, expected(least, most, until))
	}
}

func expected(least, most time.Duration, until time.Time) string {
	text := "This takes about " + roughly(least)
	switch {
	case !until.IsZero():
		text = "This takes at most " + roughly(time.Until(until))
	case most > 2*least:
		text += fmt.Sprintf(", at most %s (--time bounds it)", roughly(most))
	}
	return text + ", and disk space only for records."
}

// roughly rounds a duration to what a guess is worth.
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return d.Round(5 * time.Second).String()
	case d < time.Hour:
		return d.Round(time.Minute).String()
	}
	return d.Round(10 * time.Minute).String()
}
