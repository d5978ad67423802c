package compare

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"getio/measure/database"
)

func TestParseSide(t *testing.T) {
	for arg, want := range map[string]Configuration{
		"data/20m":       {Dir: "data/20m"},
		"data/20m:":      {Dir: "data/20m"},
		"/a b/c,d=e":     {Dir: "/a b/c,d=e"},
		"odd:dir:":       {Dir: "odd:dir"},
		"a:engine=x:":    {Dir: "a:engine=x"},
		".":              {Dir: "."},
		"d:engine=v2":    {Dir: "d", Choice: database.OpenOptions{Engine: "v2"}},
		"C:/d:label=new": {Dir: "C:/d", Label: "new"},
		"d:label=a=b":    {Dir: "d", Label: "a=b"},
		"a:b:preset=geth,last-level-filters,max_open_files=100,memtable_size=1MiB": {
			Dir: "a:b", LastLevelFilters: true,
			Choice: database.OpenOptions{Preset: "geth", Options: []string{"max_open_files=100", "memtable_size=1MiB"}},
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
		"d:engine":                     `invalid setting "engine":`,
		"d:engine=":                    `invalid setting "engine=":`,
		"d:,":                          `invalid setting "":`,
		"odd:dir":                      "add a colon to a directory that has one in its name",
		"d:last-level-filters=yes":     "takes no value",
		"d:label=a b":                  "one word",
		"d:label=a/b":                  "one word",
		"d:label=\x01":                 "one word",
		"d:label=thirteen-long":        "longer than 12",
		"d:label=\xff":                 "one word",
		"d:engine=a,last-level-filter": `invalid setting "last-level-filter":`,
	} {
		_, err := parseSide(arg)
		assert.ErrorContains(t, err, want)
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
		for settings, want := range map[string]Configuration{
			"":                                  {Dir: dir},
			"engine=e,last-level-filters":       {Dir: dir, LastLevelFilters: true, Choice: database.OpenOptions{Engine: "e"}},
			"label=x,preset=p,max_open_files=9": {Dir: dir, Label: "x", Choice: database.OpenOptions{Preset: "p", Options: []string{"max_open_files=9"}}},
		} {
			got, err := parseSide(dir + ":" + settings)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%q with %q: %+v, %v", dir, settings, got, err)
			}
		}
		if s, err := parseSide(dir); err == nil && !strings.Contains(dir, ":") && s.Dir != dir {
			t.Errorf("%q names %q", dir, s.Dir)
		}
	})
}

func TestSidesHaveDistinctLabels(t *testing.T) {
	sides, err := ParseSides([]string{"x", "y:label=new", "z"})
	if err != nil || sides[0].Label != "A" || sides[1].Label != "new" || sides[2].Label != "C" {
		t.Errorf("%+v, %v", sides, err)
	}
	for _, args := range [][]string{{"x:label=B", "y"}, {"x:label=a", "y:label=a"}} {
		_, err := ParseSides(args)
		assert.ErrorContains(t, err, "two sides have the label")
	}
}

// TestQuestionsAreComplete: one name means the same tree in all questions.
func TestQuestionsAreComplete(t *testing.T) {
	trees := map[string]tree{}
	for _, q := range Questions {
		for _, s := range q.sides {
			assert.NoError(t, checkLabel(s.label), q.Name)
			if other, there := trees[s.tree.name]; there && !reflect.DeepEqual(other, s.tree) {
				t.Errorf("two trees are called %s", s.tree.name)
			}
			trees[s.tree.name] = s.tree
		}
		if !strings.HasPrefix(q.About, q.Name+": ") || len(q.sides) < 2 || len(q.absent) == 0 {
			t.Errorf("%s is incomplete", q.Name)
		}
	}
}
