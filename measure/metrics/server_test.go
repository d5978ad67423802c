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

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"9100": "127.0.0.1:9100", ":9100": "127.0.0.1:9100", "0": "127.0.0.1:0", ":0": "127.0.0.1:0",
		"localhost:9100": "localhost:9100", "[::1]:9100": "[::1]:9100",
		"0.0.0.0:9100": "0.0.0.0:9100", "[::]:65535": "[::]:65535", // only if given explicitly
	} {
		if got, err := ParseAddress(text); err != nil || got != want {
			t.Errorf("%q is %q (%v), want %q", text, got, err, want)
		}
	}
	for text, why := range map[string]string{
		"": "invalid port", ":": "invalid port", "localhost": "invalid port", "localhost:": "invalid port", ":http": "invalid port",
		"65536": "invalid port", "-1": "invalid port", ":9100/metrics": "invalid port",
		"::1": "invalid address", "1:2:3": "invalid address", "http://localhost:9100": "invalid address", "[::1": "invalid address", "a b:1": "invalid address",
	} {
		if got, err := ParseAddress(text); err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%q is %q, and %v; want an error that says: %s", text, got, err, why)
		}
	}
}

func TestPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, err = Serve(taken.Addr().String(), NewRun())
	assert.ErrorContains(t, err, "at "+taken.Addr().String()+", which another program uses: choose another port")
	// 203.0.113.0/24 is for documentation: no machine has it.
	_, err = Serve("203.0.113.1:0", NewRun())
	assert.ErrorContains(t, err, "choose an address of this machine")
}

// TestServer: every page answers for an empty run, and Close frees the port.
func TestServer(t *testing.T) {
	s, err := Serve("0", NewRun())
	require.NoError(t, err)
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL %s", s.URL())
	}
	root := strings.TrimSuffix(s.URL(), "/metrics")
	for page, want := range map[string]string{
		"/metrics": "go_goroutines", "/debug/vars": `"memstats"`, "/debug/pprof/": "goroutine",
		"/debug/pprof/cmdline": "", "/debug/pprof/heap?debug=1": "heap profile",
	} {
		resp, err := http.Get(root + page)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s without %q", page, resp.Status, want)
		}
	}
	s.Close()
	again, err := net.Listen("tcp", s.listener.Addr().String())
	require.NoError(t, err, "the port is not free after Close")
	again.Close()
}

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
			req.Host = host // "" means the URL's host
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
