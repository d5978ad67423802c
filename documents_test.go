package getio_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinks checks that every link of a document leads to a file here, and to a heading if it names one.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, document := range tracked(t, "*.md") {
		for _, found := range link.FindAllStringSubmatch(textOf(t, document), -1) {
			path, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(path, "://") {
				continue
			}
			to := document
			if path != "" {
				to = filepath.Join(filepath.Dir(document), path)
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", document, found[1])
			} else if heading != "" {
				assert.Contains(t, headings(textOf(t, to)), heading, "%s links to %s", document, found[1])
			}
		}
	}
}

// TestNamedDocuments checks that the documents that code, help texts and rules name are there.
func TestNamedDocuments(t *testing.T) {
	named := regexp.MustCompile(`\b(docs|results)/[a-z-]+\.(md|jsonl)\b`)
	for _, file := range tracked(t, "*.go", "*.txtar", "*.txt", "*.sh", "*.md", "Makefile", "*.cc") {
		for _, name := range named.FindAllString(textOf(t, file), -1) {
			assert.FileExists(t, name, "%s names it", file)
		}
	}
}

// headings returns the names by which a link can lead to the headings of a document.
func headings(text string) (names []string) {
	notInName := regexp.MustCompile(`[^\pL\pN_\- ]`)
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 1 {
			continue // code
		}
		for _, found := range regexp.MustCompile(`\n#+ (.*)`).FindAllStringSubmatch(part, -1) {
			name := notInName.ReplaceAllString(strings.ToLower(found[1]), "")
			names = append(names, strings.ReplaceAll(name, " ", "-"))
		}
	}
	return names
}

// tracked returns the files of the repository that match patterns.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"ls-files", "-co", "--exclude-standard", "--"}, patterns...)...).Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

func textOf(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}
