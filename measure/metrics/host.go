package metrics

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guarded answers, where only this machine is to be answered, no request for a name: a
// page of any website may send one, from a browser on this machine, once the name is
// made to mean 127.0.0.1. Addresses cannot be made to mean anything else.
func guarded(pages http.Handler, at net.Addr) http.Handler {
	if tcp, ok := at.(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		return pages
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !namesAddress(r.Host) {
			http.Error(w, "metrics are served to this machine alone, and not by that name: ask for http://"+at.String()+", or have getio serve at an address that others reach", http.StatusForbidden)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// namesAddress tells whether the host of a request, with or without a port, is an
// address or localhost.
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
