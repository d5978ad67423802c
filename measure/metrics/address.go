package metrics

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// loopback is where metrics are served unless another host is written down.
const loopback = "127.0.0.1"

// ParseAddress reads HOST:PORT, :PORT or PORT and returns HOST:PORT. The host is
// this machine's loopback address unless it is named. Port 0 is any that is free.
func ParseAddress(s string) (string, error) {
	text := s
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || strings.ContainsAny(host, " /%@") {
		return "", fmt.Errorf("%q is no address to serve metrics at: write it like 9100, :9100 or 0.0.0.0:9100", s)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return "", fmt.Errorf("%q has no port to serve metrics at: write it like 9100, :9100 or 0.0.0.0:9100, with a number up to 65535", s)
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}
