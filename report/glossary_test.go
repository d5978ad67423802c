package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainWords are the words of headings that need no entry in the glossary.
var plainWords = strings.Fields(`
	% --cache 1 2 a after aim and answer as at b before by byte bytes caller category chain changed changed, claim
	command copy counted cpu database db depth difference directory disk each effect entries entry failed figures
	file files finding fixed for found freezer from frozen geth got head how in items its kernel key keys keys/s kib
	load loaded lookups lost machine made mea meanwhile measured mib modelled more most name not now of on open other others others'
	over overwritten per present process read reads records removed s setting share size sizes speed state store
	system tables tenfold the their then time to total tree under unknown us use value values version warning
	watched way what window with work would written
`)

// TestHeadingsAreInGlossary checks that docs/glossary.md has every heading of a column or a row, or else each of its
// words unless it is plain English.
func TestHeadingsAreInGlossary(t *testing.T) {
	text, err := os.ReadFile("../docs/glossary.md")
	require.NoError(t, err)
	var terms []string
	for _, entry := range regexp.MustCompile(`(?m)^- (.*)`).FindAllStringSubmatch(string(text), -1) {
		head, _, _ := strings.Cut(entry[1], ": ")
		for _, term := range regexp.MustCompile(`\*\*(.+?)\*\*`).FindAllStringSubmatch(head, -1) {
			terms = append(terms, strings.ToLower(term[1]))
		}
	}
	inGlossary := func(term string) bool {
		return slices.Contains(terms, term) || slices.Contains(terms, strings.TrimSuffix(term, "s"))
	}
	byLength := slices.SortedFunc(slices.Values(terms), func(a, b string) int { return len(b) - len(a) })
	all := headings(t)
	assert.Greater(t, len(all), 100)
	for _, heading := range all {
		term := strings.TrimSpace(strings.ToLower(strings.NewReplacer("-\n", "", "\n/", " per ", "\n", " ").Replace(heading)))
		if term == "" || inGlossary(term) {
			continue
		}
		for _, known := range byLength {
			term = regexp.MustCompile(`(^|[ /])`+regexp.QuoteMeta(known)+`(e?s)?($|[ /])`).ReplaceAllString(term, " ")
		}
		for _, word := range strings.FieldsFunc(term, func(r rune) bool { return r == ' ' || r == '/' }) {
			assert.Contains(t, plainWords, word, "%q of the heading %q is not in docs/glossary.md", word, heading)
		}
	}
}

// headings returns the names of all columns, from the calls that make them, and the labels of rows, from the calls of
// field and the templates.
func headings(t *testing.T) (all []string) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				all = append(all, headingsOf(f)...)
			}
		}
	}
	texts, err := filepath.Glob("texts/*.txt")
	require.NoError(t, err)
	for _, file := range texts {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, label := range regexp.MustCompile(`(?m)^([A-Z][A-Za-z/ -]{0,11}[A-Za-z])  +\S`).FindAllStringSubmatch(string(text), -1) {
			all = append(all, label[1])
		}
	}
	return all
}

// headingsOf returns the first arguments of calls of col, of field, and of functions that the function makes columns with.
func headingsOf(f *ast.FuncDecl) (names []string) {
	makers := []string{"col", "field"}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				if to, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && makesColumns(right) {
					makers = append(makers, to.Name)
				}
			}
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.Ident)
			if s, is := n.Fun.(*ast.SelectorExpr); is {
				called, ok = s.Sel, true
			}
			if ok && len(n.Args) > 0 && slices.Contains(makers, called.Name) {
				ast.Inspect(n.Args[0], func(part ast.Node) bool {
					if text, ok := part.(*ast.BasicLit); ok && text.Kind == token.STRING {
						name, _ := strconv.Unquote(text.Value)
						names = append(names, strings.ReplaceAll(regexp.MustCompile(`%[.0-9]*[dgsv]`).ReplaceAllString(name, ""), "%%", "%"))
					}
					return true
				})
			}
		}
		return true
	})
	return names
}

// makesColumns reports whether an expression is a function that returns a column.
func makesColumns(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.FuncLit:
		if e.Type.Results == nil || len(e.Type.Results.List) != 1 {
			return false
		}
		of, ok := e.Type.Results.List[0].Type.(*ast.IndexExpr)
		name, is := ast.Expr(nil), false
		if ok {
			name, is = of.X, true
		}
		id, named := name.(*ast.Ident)
		return is && named && id.Name == "column"
	case *ast.CallExpr:
		called, ok := e.Fun.(*ast.Ident)
		return ok && called.Name == "colIf"
	}
	return false
}
