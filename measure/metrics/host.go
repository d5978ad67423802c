package metrics

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guarded refuses requests by host name if metrics are served on the loopback address only. A
// website could otherwise make its name resolve to 127.0.0.1 and read the metrics from a
// browser on this machine (DNS rebinding).
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
