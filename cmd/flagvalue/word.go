package flagvalue

import (
	"fmt"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"getio/engine"
	"getio/numbers/units"
)

// Choice adds a flag that takes one of some words, or its default, which may be empty.
func Choice[S ~string](f *pflag.FlagSet, to *S, name string, standard S, words []S, usage string) {
	parse := OneOf(words...)
	Var(f, to, name, "name", string(standard), func(s string) (S, error) {
		if S(s) == standard {
			return standard, nil
		}
		return parse(s)
	}, usage).Offer(texts(words)...)
}

// Choices adds a flag that takes a comma-separated list of some words.
func Choices[S ~string](f *pflag.FlagSet, to *[]S, name string, words []S, usage string) {
	Var(f, to, name, "names", "", ListOf(OneOf(words...)), usage).OfferList(texts(words)...)
}

func OneOf[S ~string](words ...S) func(string) (S, error) {
	return func(s string) (S, error) {
		if !slices.Contains(words, S(s)) {
			return "", fmt.Errorf("want %s", units.Or(words))
		}
		return S(s), nil
	}
}

func texts[S ~string](words []S) (all []string) {
	for _, w := range words {
		all = append(all, string(w))
	}
	return all
}

// Name adds a flag for a name that a library checks. The library may know more names than the listed
// ones, which completion offers.
func Name(f *pflag.FlagSet, to *string, name, standard string, known []string, usage string) {
	Var(f, to, name, "name", standard, asIs, usage).Offer(known...)
}

// Names adds a flag for a comma-separated list of such names. An empty value is an empty list.
func Names(f *pflag.FlagSet, to *[]string, name string, known []string, usage string) {
	Var(f, to, name, "names", "", func(s string) ([]string, error) {
		if s == "" {
			return nil, nil
		}
		return ListOf(asIs)(s)
	}, usage).OfferList(known...)
}

func asIs(s string) (string, error) { return s, nil }

// Kinds of values that completion takes from the file system.
const (
	KindFile = "file"
	KindDir  = "dir"
)

// File adds a flag for the name of a file, or one of some words in its place.
func File(f *pflag.FlagSet, to *string, name, usage string, words ...string) {
	Var(f, to, name, KindFile, "", asIs, usage).Offer(words...)
}

// Dir adds a flag for the name of a directory.
func Dir(f *pflag.FlagSet, to *string, name, standard, usage string) {
	Var(f, to, name, KindDir, standard, asIs, usage)
}

// TempDir adds a flag for a directory that is by default the one for temporary files.
func TempDir(f *pflag.FlagSet, to *string, name, usage string) {
	*to = os.TempDir()
	Dir(f, to, name, "", usage+" (default: $TMPDIR, or /tmp)")
}

// Path returns the value of a flag for the name of a file or directory, for flags that also have
// one letter.
func Path(to *string, kind string) pflag.Value {
	return &value[string]{to: to, text: *to, kind: kind, parse: asIs}
}

// Offer sets the words that completion offers.
func (v *value[T]) Offer(words ...string) { v.words = words }

// OfferList sets the words that completion offers in a list.
func (v *value[T]) OfferList(words ...string) { v.words, v.list = words, true }

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
