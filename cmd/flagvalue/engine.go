package flagvalue

import (
	"fmt"

	"github.com/spf13/pflag"

	"getio/engine"
	"getio/numbers/units"
)

// Engine adds --engine, which takes the name or the alias of one of the known engines, or its default, which
// may be empty.
func Engine(f *pflag.FlagSet, to *string, standard string, known engine.Registry, usage string) {
	Var(f, to, "engine", "name", standard, func(text string) (string, error) {
		if text == standard {
			return standard, nil
		}
		e, err := known.ByName(text)
		if err != nil {
			return "", fmt.Errorf("want %s", units.Or(known.Names()))
		}
		return e.Name(), nil
	}, usage).Offer(known.Names()...)
}
