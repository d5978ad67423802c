package metrics

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/stretchr/testify/require"
)

// scrape holds the values of one scrape by name and labels, as in name{a="b",c="d"}. Labels are
// sorted by name.
type scrape map[string]float64

// serve starts to serve a run on a free port.
func serve(t *testing.T, r *Run) *Server {
	t.Helper()
	s, err := Serve("0", r)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// fetch gets the metric families over HTTP, as Prometheus does.
func fetch(t *testing.T, s *Server) []*dto.MetricFamily {
	t.Helper()
	resp, err := http.Get(s.URL())
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode, resp.Status)
	var all []*dto.MetricFamily
	for d := expfmt.NewDecoder(resp.Body, expfmt.ResponseFormat(resp.Header)); ; {
		var f dto.MetricFamily
		err := d.Decode(&f)
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		all = append(all, &f)
	}
}

// values returns the values of all series of getio, and the names of its counters.
func values(all []*dto.MetricFamily) (now scrape, counters []string) {
	now = scrape{}
	for _, f := range all {
		if !strings.HasPrefix(f.GetName(), "getio_") {
			continue
		}
		for _, m := range f.Metric {
			name := seriesName(f.GetName(), m.Label)
			if c := m.Counter; c != nil {
				now[name] = c.GetValue()
				counters = append(counters, name)
				continue
			}
			now[name] = m.Gauge.GetValue()
		}
	}
	return now, counters
}

func seriesName(name string, labels []*dto.LabelPair) string {
	var pairs []string
	for _, l := range labels {
		pairs = append(pairs, l.GetName()+`="`+l.GetValue()+`"`)
	}
	slices.Sort(pairs)
	return name + "{" + strings.Join(pairs, ",") + "}"
}

// of returns the name of a series of a cache size, with further labels as name="value".
func of(name string, cacheBytes int64, labels ...string) string {
	labels = append(labels, `cache_bytes="`+label(cacheBytes)+`"`)
	slices.Sort(labels)
	return name + "{" + strings.Join(labels, ",") + "}"
}

// watcher scrapes repeatedly and compares every counter with the previous scrape.
type watcher struct {
	t       *testing.T
	server  *Server
	last    scrape
	moves   int // scrapes in which something had changed
	counted []string
}

func (w *watcher) look() scrape {
	w.t.Helper()
	now, counters := values(fetch(w.t, w.server))
	for _, name := range w.counted {
		if value, there := now[name]; !there || value < w.last[name] {
			w.t.Errorf("%s goes from %v to %v (exists: %v)", name, w.last[name], value, there)
		}
	}
	if !maps.Equal(w.last, now) {
		w.moves++
	}
	w.last, w.counted = now, counters
	return now
}
