package metrics

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/measure"
)

// TestEveryMetricIsExported: two runs, one settling and one measuring, export all families.
func TestEveryMetricIsExported(t *testing.T) {
	var got, want []string
	for _, r := range []*Run{settling(), full()} {
		for _, f := range gathered(t, r) {
			if !slices.Contains(got, f.GetName()) {
				got = append(got, f.GetName())
			}
		}
	}
	for _, f := range families {
		want = append(want, f.name)
	}
	slices.Sort(got)
	slices.Sort(want)
	assert.Equal(t, want, got)
}

// TestDocsListEveryMetric checks that docs/metrics.md has all names, types and labels, in the
// order of their definition.
func TestDocsListEveryMetric(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^\\| `(getio_\\w+)` \\| (\\w+) \\| ([^|]*)\\| ([^|]+) \\| ([^|]+) \\|$")
	var got, want []string
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		got = append(got, strings.Join([]string{cells[1], cells[2], strings.TrimSpace(cells[3])}, " "))
	}
	kinds := map[prometheus.ValueType]string{prometheus.CounterValue: "counter", prometheus.GaugeValue: "gauge"}
	for _, f := range families {
		want = append(want, strings.TrimSpace(strings.Join([]string{f.name, kinds[f.kind], strings.Join(f.labels, ", ")}, " ")))
	}
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/metrics.md lists\n%s\nexported are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDashboard: docs/grafana.json has what Grafana needs to import it, and its queries use
// existing metrics and labels.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../../docs/grafana.json")
	require.NoError(t, err)
	var board struct {
		Inputs []struct {
			Name, Type, PluginID string
		} `json:"__inputs"`
		SchemaVersion int
		UID, Title    string
		Panels        []struct {
			ID         int
			Title      string
			Type       string
			Datasource struct{ UID string }
			Targets    []struct {
				Expr, LegendFormat string
				Datasource         struct{ UID string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &board))
	if len(board.Inputs) != 1 || board.Inputs[0].Name != "DS_PROMETHEUS" || board.Inputs[0].PluginID != "prometheus" || board.Inputs[0].Type != "datasource" {
		t.Errorf("inputs %+v", board.Inputs)
	}
	if board.SchemaVersion < 30 || board.UID == "" || board.Title == "" || len(board.Panels) == 0 {
		t.Errorf("schema %d, uid %q, title %q, %d panels", board.SchemaVersion, board.UID, board.Title, len(board.Panels))
	}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the ID %d", p.ID)
		}
		ids[p.ID] = true
		if p.Datasource.UID != "${DS_PROMETHEUS}" || len(p.Targets) == 0 {
			t.Errorf("%s: data source %q, %d queries", p.Title, p.Datasource.UID, len(p.Targets))
		}
		for _, q := range p.Targets {
			requireKnown(t, p.Title, q.Expr, q.LegendFormat)
			requireOneKind(t, p.Title, q.Expr)
			assert.Equal(t, "${DS_PROMETHEUS}", q.Datasource.UID, p.Title)
		}
	}
}

// requireOneKind checks that a query does not mix figures of Gets made without a cache with
// others, and that it uses the last of several runs of a cache size.
func requireOneKind(t *testing.T, panel, query string) {
	t.Helper()
	for _, f := range families {
		if !slices.Contains(f.labels, "phase") || !slices.Contains(f.labels, "cache_bytes") {
			continue
		}
		if regexp.MustCompile(`\b` + f.name + `\b(?:[^{]|$|\{[^}]*phase="split"|\{\})`).MatchString(query) {
			t.Errorf("%s: %q does not select phases, or includes %s", panel, query, measure.PhaseSplit)
		}
	}
	whole, _, _ := strings.Cut(query, resultIOsPerGet.name)
	if whole != query && !strings.Contains(whole, resultContinued.name+" or ") {
		t.Errorf("%s: %q uses the first run of a size even if it was continued", panel, query)
	}
}

// requireKnown checks that a query uses existing metrics, and that it and its legend use labels
// of these metrics.
func requireKnown(t *testing.T, panel, query, legend string) {
	t.Helper()
	names := regexp.MustCompile(`getio_\w+`).FindAllString(query, -1)
	assert.NotZero(t, len(names), "%s: %q uses no metric of getio", panel, query)
	var has []string
	for _, name := range names {
		i := slices.IndexFunc(families, func(f *family) bool { return f.name == name })
		if i < 0 {
			t.Errorf("%s: no metric %s", panel, name)
			return
		}
		has = append(has, families[i].labels...)
	}
	labels := regexp.MustCompile(`\b(\w+)(?:=~|!~|!=|=)"|\{\{(\w+)\}\}|by \((\w+)\)`)
	for _, m := range labels.FindAllStringSubmatch(query+" "+legend, -1) {
		if name := m[1] + m[2] + m[3]; !slices.Contains(has, name) {
			t.Errorf("%s: %s has no label %s", panel, strings.Join(names, ", "), name)
		}
	}
}
