package metrics

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoopbackRefusesHostNames(t *testing.T) {
	s := serve(t, NewRun())
	root := strings.TrimSuffix(s.URL(), "/metrics")
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost": http.StatusOK, "LocalHost:9100": http.StatusOK, "127.0.0.1": http.StatusOK,
		"[::1]:9100": http.StatusOK, "[::1]": http.StatusOK, "192.0.2.1:80": http.StatusOK,
		"example.com": http.StatusForbidden, "example.com:9100": http.StatusForbidden,
		"localhost.example.com": http.StatusForbidden, "127.0.0.1.example.com:9100": http.StatusForbidden,
	} {
		for _, page := range []string{"/metrics", "/debug/vars", "/debug/pprof/cmdline"} {
			req, err := http.NewRequest(http.MethodGet, root+page, nil)
			require.NoError(t, err)
			req.Host = host // "" is what the URL says
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, want, resp.StatusCode, "%s of %q: %s", page, host, resp.Status)
			if want == http.StatusForbidden && (!strings.Contains(string(body), "ask for "+root+",") || strings.Count(string(body), "\n") != 1) {
				t.Errorf("%s of %q says %q", page, host, body)
			}
		}
	}
}

func TestOnlyLoopbackRefusesHostNames(t *testing.T) {
	for ip, want := range map[string]int{"0.0.0.0": http.StatusOK, "192.0.2.1": http.StatusOK, "127.0.0.1": http.StatusForbidden, "::1": http.StatusForbidden} {
		pages := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		answer := httptest.NewRecorder()
		guarded(pages, &net.TCPAddr{IP: net.ParseIP(ip)}).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "http://example.com/metrics", nil))
		assert.Equal(t, want, answer.Code, "a request for example.com served at %s", ip)
	}
}
