package flagvalue

import (
	"fmt"

	"github.com/spf13/pflag"

	"getio/engine"
	"getio/numbers/units"
)

// Engine adds --engine, which takes the name or the alias of one of the known engines.
func Engine(f *pflag.FlagSet, to *string, standard string, known engine.Registry, usage string) {
	Var(f, to, "engine", "name", standard, func(text string) (string, error) {
		e, err := known.ByName(text)
		if err != nil {
			return "", fmt.Errorf("want %s", units.Or(known.Names()))
		}
		return e.Name(), nil
	}, usage).Offer(known.Names()...)
}
