package record_test

import (
	"encoding"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/engine/lsm"
	"getio/experiment/cell"
	"getio/record"
	"getio/workload/dataset"
)

var rewrite = flag.Bool("rewrite", false, "rewrite docs/records.md")

// roots are the structs that are written as JSON objects of their own, by the name that the template calls them.
var roots = map[string]any{
	"AdapterCheck": record.AdapterCheck{}, "Advice": record.Advice{}, "Categories": record.Categories{}, "Cell": cell.Cell{},
	"Chain": record.Chain{}, "ChainMade": record.ChainMade{}, "Comparison": record.Comparison{}, "Diagnosis": record.Diagnosis{},
	"ExternalCount": record.ExternalCount{}, "Gate": record.Gate{}, "Inspection": record.Inspection{}, "Level0": record.Level0{},
	"MDBX": record.MDBX{}, "Manifest": dataset.Manifest{}, "Prediction": record.Prediction{}, "Result": record.Result{},
	"Shape": lsm.Shape{}, "State": record.State{}, "Watch": record.Watch{},
}

// TestDocument checks that docs/records.md is what the template and the comments of the structs make, and that every
// field has a comment. With -rewrite, it writes the file.
func TestDocument(t *testing.T) {
	const file, from = "../docs/records.md", "testdata/records.md.tmpl"
	source, err := os.ReadFile(from)
	require.NoError(t, err)
	d := &document{t: t, comments: map[string]*ast.StructType{}, uses: map[reflect.Type]int{}, counted: map[reflect.Type]bool{},
		anchors: map[reflect.Type]string{}}
	d.findAnchors(string(source))
	for _, name := range slices.Sorted(maps.Keys(roots)) {
		require.Contains(t, d.anchors, reflect.TypeOf(roots[name]), "%s has no table of %s", from, name)
		d.countUses(reflect.TypeOf(roots[name]))
	}
	var text strings.Builder
	require.NoError(t, template.Must(template.New(from).Funcs(template.FuncMap{"fields": d.fields, "shared": d.shared}).Parse(string(source))).Execute(&text, nil))
	if *rewrite {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	old, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, string(old) == text.String(), "docs/records.md is stale: run 'go test ./record -run TestDocument -rewrite'")
}

// document makes tables of the fields of structs. A struct that is the type of one field is part of the table of that
// field; one of several fields has a table of its own, to which they link.
type document struct {
	t        *testing.T
	comments map[string]*ast.StructType // by package path and name
	uses     map[reflect.Type]int
	counted  map[reflect.Type]bool
	anchors  map[reflect.Type]string // of roots and structs with tables of their own
	pending  []reflect.Type          // whose tables are not made yet
}

// findAnchors takes the link to each root from the heading above its table.
func (d *document) findAnchors(source string) {
	notInName, heading := regexp.MustCompile(`[^a-z0-9\- ]`), ""
	for line := range strings.Lines(source) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.ReplaceAll(notInName.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
		}
		if m := regexp.MustCompile(`\{\{fields "(\w+)"\}\}`).FindStringSubmatch(line); m != nil {
			require.Contains(d.t, roots, m[1])
			d.anchors[reflect.TypeOf(roots[m[1]])] = heading
		}
	}
}

// structOf returns the struct of which a field has one, several or some by name, and what its path adds for these. ok is
// false if the field is written as a plain value.
func structOf(of reflect.Type) (s reflect.Type, suffix string, ok bool) {
	for {
		if of == reflect.TypeFor[time.Time]() || of.Implements(reflect.TypeFor[json.Marshaler]()) || of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			return nil, suffix, false
		}
		switch of.Kind() {
		case reflect.Pointer:
			of = of.Elem()
		case reflect.Slice:
			of, suffix = of.Elem(), suffix+"[]"
		case reflect.Map:
			of, suffix = of.Elem(), suffix+".NAME"
		default:
			return of, suffix, of.Kind() == reflect.Struct
		}
	}
}

// countUses counts the fields of each struct that a struct contains.
func (d *document) countUses(of reflect.Type) {
	if d.counted[of] {
		return
	}
	d.counted[of] = true
	for i := range of.NumField() {
		if s, _, ok := structOf(of.Field(i).Type); ok && of.Field(i).Tag.Get("json") != "-" && of.Field(i).IsExported() {
			d.uses[s]++
			d.countUses(s)
		}
	}
}

// own reports whether a struct has a table of its own.
func (d *document) own(s reflect.Type) bool {
	_, root := d.anchors[s]
	return root || d.uses[s] > 1
}

// fields returns the table of a root.
func (d *document) fields(root string) string { return d.table(reflect.TypeOf(roots[root])) }

// shared returns the tables of the structs that are not roots and that several fields have.
func (d *document) shared() string {
	var text strings.Builder
	for len(d.pending) > 0 {
		s := d.pending[0]
		d.pending = d.pending[1:]
		fmt.Fprintf(&text, "### %s\n\n%s\n", s.Name(), d.table(s))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func (d *document) table(of reflect.Type) string {
	r := &rows{}
	d.add(r, of, "")
	return "field|meaning\n---|---\n" + strings.Join(r.lines, "\n") + "\n"
}

type rows struct {
	lines []string
	open  bool // the comment of the last line is also that of fields without one that follow
}

// add adds the fields of a struct whose own path is prefix.
func (d *document) add(r *rows, of reflect.Type, prefix string) {
	list := d.structType(of)
	for i := range of.NumField() {
		f := of.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "schema" || !f.IsExported() {
			continue
		}
		s, suffix, isStruct := structOf(f.Type)
		if f.Anonymous {
			if d.own(s) {
				r.line("`"+prefix+"…`", "the fields of "+d.link(s))
			} else {
				r.open = false
				d.add(r, s, prefix)
			}
			r.open = false
			continue
		}
		require.NotEmpty(d.t, name, "%s.%s has no name in JSON", of, f.Name)
		comment, above := d.comment(of, list, f.Name)
		path := "`" + prefix + name + "`"
		if isStruct || suffix != "" {
			path = "`" + prefix + name + suffix + "`"
		}
		if options != "" {
			path += "?"
		}
		switch {
		case isStruct && d.own(s):
			if comment != "" {
				comment = ": " + comment
			}
			r.line(path, d.link(s)+comment)
			r.open = false
		case isStruct:
			if r.open = comment != ""; r.open {
				r.line(path, comment)
			}
			d.add(r, s, prefix+name+suffix+".")
			r.open = false
		case comment != "":
			r.line(path, comment)
			r.open = above
		case r.open:
			last := &r.lines[len(r.lines)-1]
			*last = strings.Replace(*last, "|", ", "+path+"|", 1)
		default:
			assert.Fail(d.t, "no comment", "%s.%s, which is %s in JSON, has no comment", of, f.Name, path)
		}
	}
}

func (r *rows) line(path, meaning string) { r.lines = append(r.lines, path+"|"+meaning) }

// link returns a link to the table of a struct, which will be made unless it is that of a root.
func (d *document) link(s reflect.Type) string {
	if d.anchors[s] == "" {
		for other, anchor := range d.anchors {
			require.NotEqual(d.t, strings.ToLower(s.Name()), anchor, "%s and %s have the same name", s, other)
		}
		d.anchors[s] = strings.ToLower(s.Name())
		d.pending = append(d.pending, s)
	}
	return "[" + s.Name() + "](#" + d.anchors[s] + ")"
}

// structType returns the declaration of a struct.
func (d *document) structType(of reflect.Type) *ast.StructType {
	key := of.PkgPath() + "." + of.Name()
	if d.comments[key] == nil {
		files, err := filepath.Glob(filepath.Join("..", strings.TrimPrefix(of.PkgPath(), "getio/"), "*.go"))
		require.NoError(d.t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			require.NoError(d.t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if s, ok := spec.Type.(*ast.StructType); ok && !strings.HasSuffix(file, "_test.go") {
						d.comments[of.PkgPath()+"."+spec.Name.Name] = s
					}
				}
				return true
			})
		}
	}
	require.NotNil(d.t, d.comments[key], key)
	return d.comments[key]
}

var (
	quoted  = regexp.MustCompile(`"([^"]+)"`)
	option  = regexp.MustCompile(`(^|[ (])(--[a-z][a-z.-]*[a-z])`)
	capital = regexp.MustCompile(`^[A-Z][a-z,]+$`)
	ofLink  = regexp.MustCompile(`\[([A-Z]\w*)(?:\.(\w+))?\]`)
)

// comment returns the comment of a field as Markdown, and whether it stands above the field.
func (d *document) comment(of reflect.Type, s *ast.StructType, field string) (text string, above bool) {
	for _, f := range s.Fields.List {
		if !slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == field }) {
			continue
		}
		above = f.Doc.Text() != ""
		text = strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
	}
	for _, verb := range []string{" is ", " are ", " means that ", " says ", ": "} {
		if rest, ok := strings.CutPrefix(text, field+verb); ok {
			text = strings.TrimPrefix(rest, "the ")
			break
		}
	}
	if first, _, _ := strings.Cut(text, " "); capital.MatchString(first) && first != "Gets" && first != "Get" {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	if !strings.Contains(text, ". ") {
		text = strings.TrimSuffix(text, ".")
	}
	text = option.ReplaceAllString(quoted.ReplaceAllString(text, "`$1`"), "$1`$2`")
	return ofLink.ReplaceAllStringFunc(text, func(link string) string {
		m := ofLink.FindStringSubmatch(link)
		to, ok := d.named(m[1])
		require.True(d.t, ok, "%s.%s: there is no %s", of, field, link)
		if m[2] == "" {
			return d.link(to)
		}
		f, ok := to.FieldByName(m[2])
		require.True(d.t, ok, "%s.%s: there is no %s", of, field, link)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return "`" + name + "`"
	}), above
}

// named returns the struct with a name; of structs of the same name, the record's.
func (d *document) named(name string) (found reflect.Type, ok bool) {
	for _, root := range roots {
		if s := reflect.TypeOf(root); s.Name() == name {
			return s, true
		}
	}
	for s := range d.uses {
		if s.Name() == name && (found == nil || strings.HasSuffix(s.PkgPath(), "/record")) {
			found = s
		}
	}
	return found, found != nil
}
