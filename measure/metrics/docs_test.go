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

	"getio/engine/readpath"
	"getio/measure"
	"getio/record"
)

func allFamilies() families { return slices.Concat(runFamilies, watchFamilies) }

// watched is a process with one database.
func watched() *Watch {
	part := map[string]record.ComponentReads{readpath.Data.String(): {Reads: 12, Bytes: 4096}}
	looked := record.NewCacheAccesses(20, 12)
	cache := &record.WatchedCache{CacheAccesses: looked, Components: map[string]record.CacheAccesses{readpath.Data.String(): looked}}
	w := &Watch{}
	w.Set(&record.Watch{
		Seconds: 2, Process: record.WatchedProcess{PID: 7, Name: "geth"}, Complete: true,
		Databases: []*record.WatchedDatabase{{
			Path: "/chaindata", IOsPerGet: &record.WatchedIOs{Mean: 1.5}, WatchedGets: record.WatchedGets{Gets: 8, Components: part, BlockCache: cache},
			Causes:    []*record.WatchedCause{{Cause: record.CauseGet, WatchedReads: record.WatchedReads{Count: 12, Bytes: 4096, DeviceBytes: 8192, FromPageCache: 10}}},
			Iterators: &record.WatchedIterators{Opened: 2, Seeks: 1},
		}},
		Files:  []*record.WatchedFiles{{Kind: record.FileFreezer, WatchedReads: record.WatchedReads{Count: 3, Bytes: 300, DeviceBytes: 4096}}},
		Device: &record.WatchedDevice{ProcessBytes: 12288, TableBytes: 8192, FileBytes: 4096},
	})
	return w
}

// TestIncompleteCountsGiveNoFigure: the mean of counts of which too much was lost is absent.
func TestIncompleteCountsGiveNoFigure(t *testing.T) {
	w := watched()
	names := func() (all []string) {
		for _, f := range gathered(t, w) {
			all = append(all, f.GetName())
		}
		return all
	}
	assert.Contains(t, names(), watchIOs.name)
	w.last.Complete = false
	assert.NotContains(t, names(), watchIOs.name)
	assert.Empty(t, gathered(t, &Watch{}))
}

// TestEveryMetricIsExported: two runs, one settling and one measuring, and a process that is
// watched export all families.
func TestEveryMetricIsExported(t *testing.T) {
	var got, want []string
	for _, c := range []prometheus.Collector{settling(), full(), watched()} {
		for _, f := range gathered(t, c) {
			if !slices.Contains(got, f.GetName()) {
				got = append(got, f.GetName())
			}
		}
	}
	for _, f := range allFamilies() {
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
	row := regexp.MustCompile("(?m)^\\| `(getio_\\w+)` \\| (\\w+) \\| ([^|]*)\\| ([^|]+) \\|$")
	var got, want []string
	for _, cells := range row.FindAllStringSubmatch(string(text), -1) {
		got = append(got, strings.Join([]string{cells[1], cells[2], strings.TrimSpace(cells[3])}, " "))
	}
	kinds := map[prometheus.ValueType]string{prometheus.CounterValue: "counter", prometheus.GaugeValue: "gauge"}
	for _, f := range allFamilies() {
		want = append(want, strings.TrimSpace(strings.Join([]string{f.name, kinds[f.kind], strings.Join(f.labels, ", ")}, " ")))
	}
	for i := range got {
		got[i] = strings.TrimSpace(got[i])
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/metrics.md lists\n%s\nexported are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDashboards: they have what Grafana needs to import them, and their queries use existing
// metrics and labels.
func TestDashboards(t *testing.T) {
	for _, name := range []string{"grafana.json", "grafana-node.json"} {
		t.Run(name, func(t *testing.T) { requireDashboard(t, "../../docs/"+name) })
	}
}

func requireDashboard(t *testing.T, path string) {
	text, err := os.ReadFile(path)
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
	for _, f := range allFamilies() {
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
	known := allFamilies()
	for _, name := range names {
		i := slices.IndexFunc(known, func(f *family) bool { return f.name == name })
		if i < 0 {
			t.Errorf("%s: no metric %s", panel, name)
			return
		}
		has = append(has, known[i].labels...)
	}
	labels := regexp.MustCompile(`\b(\w+)(?:=~|!~|!=|=)"|\{\{(\w+)\}\}|by \((\w+)\)`)
	for _, m := range labels.FindAllStringSubmatch(query+" "+legend, -1) {
		if name := m[1] + m[2] + m[3]; !slices.Contains(has, name) {
			t.Errorf("%s: %s has no label %s", panel, strings.Join(names, ", "), name)
		}
	}
}
