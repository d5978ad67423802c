package metrics

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

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
