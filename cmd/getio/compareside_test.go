package main

import (
	"reflect"
	"strings"
	"testing"

	"getio/measure/database"
)

func TestParseSide(t *testing.T) {
	for arg, want := range map[string]side{
		"data/20m":       {dir: "data/20m"},
		"data/20m:":      {dir: "data/20m"},
		"/a b/c,d=e":     {dir: "/a b/c,d=e"},
		"odd:dir:":       {dir: "odd:dir"},
		"a:engine=x:":    {dir: "a:engine=x"},
		".":              {dir: "."},
		"d:engine=v2":    {dir: "d", choice: database.OpenOptions{Engine: "v2"}},
		"C:/d:label=new": {dir: "C:/d", label: "new"},
		"d:label=a=b":    {dir: "d", label: "a=b"},
		"a:b:preset=geth,last-level-filters,max_open_files=100,memtable_size=1MiB": {
			dir: "a:b", lastFilter: true,
			choice: database.OpenOptions{Preset: "geth", Options: []string{"max_open_files=100", "memtable_size=1MiB"}},
		},
	} {
		got, err := parseSide(arg)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v, want %+v", arg, got, err, want)
		}
	}
	for arg, want := range map[string]string{
		"":                             "names no directory",
		":engine=x":                    "names no directory",
		"d:engine":                     `"engine" is no setting`,
		"d:engine=":                    `"engine=" is no setting`,
		"d:,":                          `"" is no setting`,
		"odd:dir":                      "a directory with a colon in its name takes one more behind it",
		"d:last-level-filters=yes":     "takes no value",
		"d:label=a b":                  "one word",
		"d:label=a/b":                  "one word",
		"d:label=\x01":                 "one word",
		"d:label=thirteen-long":        "longer than 12",
		"d:label=\xff":                 "one word",
		"d:engine=a,last-level-filter": `"last-level-filter" is no setting`,
	} {
		if _, err := parseSide(arg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", arg, err, want)
		}
	}
}

// FuzzParseSide: a directory of any name can be named, with settings and without.
func FuzzParseSide(f *testing.F) {
	for _, dir := range []string{"a", "a:b", "a,b=c", ":", "d:engine=x", " "} {
		f.Add(dir)
	}
	f.Fuzz(func(t *testing.T, dir string) {
		if dir == "" {
			return
		}
		for settings, want := range map[string]side{
			"":                                  {dir: dir},
			"engine=e,last-level-filters":       {dir: dir, lastFilter: true, choice: database.OpenOptions{Engine: "e"}},
			"label=x,preset=p,max_open_files=9": {dir: dir, label: "x", choice: database.OpenOptions{Preset: "p", Options: []string{"max_open_files=9"}}},
		} {
			got, err := parseSide(dir + ":" + settings)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q with %q: %+v, %v", dir, settings, got, err)
			}
		}
		if s, err := parseSide(dir); err == nil && !strings.Contains(dir, ":") && s.dir != dir {
			t.Errorf("%q names %q", dir, s.dir)
		}
	})
}

func TestSidesHaveLabelsOfTheirOwn(t *testing.T) {
	sides, err := parseSides([]string{"x", "y:label=new", "z"})
	if err != nil || sides[0].label != "A" || sides[1].label != "new" || sides[2].label != "C" {
		t.Errorf("%+v, %v", sides, err)
	}
	for _, args := range [][]string{{"x:label=B", "y"}, {"x:label=a", "y:label=a"}} {
		if _, err := parseSides(args); err == nil || !strings.Contains(err.Error(), "two sides are called") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// TestQuestionsAreWhole: every side is of a tree that is there, and every tree is used.
func TestQuestionsAreWhole(t *testing.T) {
	trees := map[string]questionTree{}
	for _, q := range questions {
		used := map[string]bool{}
		for _, s := range q.sides {
			used[s.tree] = true
			if err := checkLabel(s.label); err != nil {
				t.Errorf("%s: %v", q.name, err)
			}
		}
		for _, tree := range q.trees {
			if !used[tree.name] {
				t.Errorf("%s makes %s for nothing", q.name, tree.name)
			}
			delete(used, tree.name)
			if other, there := trees[tree.name]; there && !reflect.DeepEqual(other, tree) {
				t.Errorf("two trees are called %s", tree.name)
			}
			trees[tree.name] = tree
		}
		for name := range used {
			t.Errorf("%s reads %s, which it does not make", q.name, name)
		}
		if !strings.HasPrefix(q.about, q.name+": ") || len(q.absent) == 0 {
			t.Errorf("%s is not whole", q.name)
		}
	}
}
