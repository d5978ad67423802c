package metrics

import (
	"errors"
	"expvar"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
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

// headerTimeout bounds the time that a client may take to send its request.
const headerTimeout = 10 * time.Second

// Serve serves a run at an address that ParseAddress accepts: /metrics, and the process's
// /debug/vars and /debug/pprof/. On a loopback address it answers only requests by address or
// localhost. The errors name the address.
func Serve(address string, run *Run) (*Server, error) {
	address, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(run, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
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
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return fmt.Errorf("cannot serve metrics at %s (%w): choose an address of this machine and a port from 1024 on", address, err)
}

// URL returns the address of the metrics.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Close stops the server at once, even in the middle of an answer, and frees the port.
func (s *Server) Close() {
	s.listener.Close() // the server may not have begun with it
	s.http.Close()
}
