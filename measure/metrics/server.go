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

// headerTimeout is how long a client may take to say what it wants.
const headerTimeout = 10 * time.Second

// Serve serves a run at an address as ParseAddress reads it: /metrics, and of the
// process /debug/vars and /debug/pprof/. On a loopback address it answers to addresses and
// localhost alone. An address that is malformed, in use or
// not of this machine is an error that says so.
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

// handler has a mux of its own, whatever other packages register with the default
// one.
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
		return fmt.Errorf("metrics cannot be served at %s, which another program uses: name another port, or 0 for any that is free", address)
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	return fmt.Errorf("metrics cannot be served at %s (%w): name an address of this machine and a port from 1024 on", address, err)
}

// URL is where the metrics are.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/metrics" }

// Close stops answering, in the middle of an answer too, and frees the port.
func (s *Server) Close() {
	s.listener.Close() // the server may not have begun with it
	s.http.Close()
}
