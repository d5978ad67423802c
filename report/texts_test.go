package report

import (
	"bytes"
	"fmt"
	"testing"
	"text/template"
	"text/template/parse"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryBranchOfTexts: the golden files write every branch of every text. A field that a record does not have
// would only be found when its branch is written.
func TestEveryBranchOfTexts(t *testing.T) {
	branches := map[string]bool{} // whether they were written
	phrases := allTexts().phrases
	phrases.Funcs(template.FuncMap{"written": func(branch string) string { branches[branch] = true; return "" }})
	for _, text := range phrases.Templates() {
		for i, list := range branchesOf(text.Root) {
			branch := fmt.Sprintf("[%s] branch %d: %s", text.Name(), i, list)
			note := template.Must(template.New("").Funcs(template.FuncMap{"written": func(string) string { return "" }}).Parse(fmt.Sprintf("{{written %q}}", branch)))
			list.Nodes = append(note.Root.Nodes, list.Nodes...)
			branches[branch] = false
		}
	}
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			require.NoError(t, render(t, new(bytes.Buffer), d))
			return d.Expected
		})
	})
	for branch, written := range branches {
		assert.True(t, written, branch)
	}
}

// branchesOf returns what a text may write: all of it, and the parts that depend on a condition.
func branchesOf(list *parse.ListNode) []*parse.ListNode {
	if list == nil {
		return nil
	}
	all := []*parse.ListNode{list}
	of := func(b parse.BranchNode) {
		all = append(append(all, branchesOf(b.List)...), branchesOf(b.ElseList)...)
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.IfNode:
			of(n.BranchNode)
		case *parse.WithNode:
			of(n.BranchNode)
		case *parse.RangeNode:
			of(n.BranchNode)
		}
	}
	return all
}
