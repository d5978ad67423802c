package flagvalue

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Error words an error of a flag and says where the flags are explained. It is cobra's FlagErrorFunc.
func Error(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("unknown flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		err = fmt.Errorf("unknown flag --%s", unknown.GetSpecifiedName())
		if meant := similar(c, unknown.GetSpecifiedName()); meant != "" {
			err = fmt.Errorf("%w, did you mean --%s", err, meant)
		}
	case errors.As(err, &invalid):
		if _, says := invalid.GetFlag().Value.(interface{ saysWhatIsWanted() }); says {
			return fmt.Errorf("invalid %s %q: %w", nameOf(invalid.GetFlag()), invalid.GetValue(), invalid.Unwrap())
		}
		err = fmt.Errorf("invalid %s %q: want %s", nameOf(invalid.GetFlag()), invalid.GetValue(), wanted(invalid.GetFlag()))
	case errors.As(err, &missing):
		err = fmt.Errorf("%s needs a value", nameOf(missing.GetFlag()))
	}
	return fmt.Errorf("%w: see '%s --help'", err, c.CommandPath())
}

// similar returns the flag of the command whose name is close to name, or "" if none is. Names of up to four letters may
// differ in one letter, longer ones in two. cobra suggests only commands, so each flag is offered to it as one.
func similar(c *cobra.Command, name string) string {
	const short = 4
	flags := &cobra.Command{SuggestionsMinimumDistance: 2}
	if len(name) <= short {
		flags.SuggestionsMinimumDistance = 1
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
	})
	if like := flags.SuggestionsFor(name); len(like) > 0 {
		return like[0]
	}
	return ""
}

// nameOf is a flag as it is written: bench_pebble's have one letter.
func nameOf(f *pflag.Flag) string {
	if f.Name == f.Shorthand {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// wanted says which values a flag of pflag's own types takes.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "uint64":
		return "a whole number from 0 on"
	case "int", "int64":
		return "a whole number"
	}
	return "a " + f.Value.Type()
}
