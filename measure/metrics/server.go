package metrics

import (
	"errors"
	"expvar"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Server answers scrapes until it is closed.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// headerTimeout limits the time that a client may take to send its request header.
const headerTimeout = 10 * time.Second

// Serve serves metrics at an address that ParseAddress accepts: /metrics, and this process's
// /debug/vars and /debug/pprof/. On a loopback address it answers only requests whose host is an
// address or localhost. Errors name the address.
func Serve(address string, metrics prometheus.Collector) (*Server, error) {
	address, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, cannotListen(address, err)
	}
	s := &Server{listener: listener, http: &http.Server{Handler: guarded(handler(registry), listener.Addr()), ReadHeaderTimeout: headerTimeout}}
	go s.http.Serve(listener) // until Close
	return s, nil
}

// handler uses its own mux, since other packages may register with the default one.
func handler(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.Handle("/debug/vars", expvar.Handler())
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}

func cannotListen(address string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot serve metrics at %s, which another program uses: choose another port, or 0 for any free one", address)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return fmt.Errorf("cannot serve metrics at %s (%w): choose an address of this machine and a port from 1024 on", address, err)
}

// URL returns the address of the metrics.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Close stops the server immediately, even in the middle of a response, and frees the port.
func (s *Server) Close() {
	s.listener.Close() // Serve may not use it yet
	s.http.Close()
}

// loopback is the default host.
const loopback = "127.0.0.1"

// ParseAddress parses HOST:PORT, :PORT or PORT and returns HOST:PORT. The default host is the
// loopback address. Port 0 is any free port.
func ParseAddress(s string) (string, error) {
	text := s
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || strings.ContainsAny(host, " /%@") {
		return "", fmt.Errorf("invalid address %q for metrics: want one such as 9100, :9100 or 0.0.0.0:9100", s)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("invalid port in the address %q for metrics: want an address such as 9100, :9100 or 0.0.0.0:9100, with a port up to 65535", s)
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}

// guarded rejects requests by host name if the server listens on a loopback address. Otherwise a
// website could make its name resolve to 127.0.0.1 and read the metrics through a browser on this
// machine (DNS rebinding).
func guarded(pages http.Handler, at net.Addr) http.Handler {
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return pages
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !namesAddress(r.Host) {
			http.Error(w, "metrics are served to this machine only, and not by that name: ask for http://"+at.String()+", or serve them at an address that others can reach", http.StatusForbidden)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// namesAddress reports whether the host of a request, with or without a port, is an address or
// localhost.
func namesAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
