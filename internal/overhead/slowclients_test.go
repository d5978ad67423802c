package overhead

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"getio/measure/metrics"
)

const (
	slowClients = 1000
	// slowRead is what each of them reads per second: one that answers takes minutes.
	slowRead = 100
	// slowServerEnv names the server in the process of the clients.
	slowServerEnv = "GETIO_SLOW_SERVER"
)

// whileReadSlowly does work while slowClients in another process ask for metrics and read the answers slowly.
func whileReadSlowly(b *testing.B, run *metrics.Run, work func()) {
	b.Helper()
	server, err := metrics.Serve("0", run)
	require.NoError(b, err)
	defer server.Close()
	clients := exec.Command("/proc/self/exe", "-test.run", "^TestSlowClients$")
	clients.Env = append(os.Environ(), slowServerEnv+"="+server.URL())
	out, err := clients.StdoutPipe()
	require.NoError(b, err)
	end, err := clients.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, clients.Start())
	_, err = bufio.NewReader(out).ReadString('\n') // all have asked
	require.NoError(b, err)
	work()
	require.NoError(b, end.Close())
	_, err = io.Copy(io.Discard, out)
	require.NoError(b, err)
	require.NoError(b, clients.Wait())
}

// TestSlowClients is the process of the clients: it ends with its standard input.
func TestSlowClients(t *testing.T) {
	url := os.Getenv(slowServerEnv)
	if url == "" {
		t.Skip("BenchmarkMetrics starts it")
	}
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics")
	ask := fmt.Sprintf("GET /metrics HTTP/1.1\r\nHost: %s\r\n\r\n", address)
	for range slowClients {
		conn, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, ask)
		require.NoError(t, err)
		first := make([]byte, slowRead)
		_, err = io.ReadFull(conn, first)
		require.NoError(t, err)
		go func() {
			for buf := make([]byte, slowRead); ; {
				time.Sleep(time.Second)
				if n, err := conn.Read(buf); err != nil || n == 0 {
					return
				}
			}
		}()
	}
	fmt.Println("asked")
	_, err := io.Copy(io.Discard, os.Stdin)
	require.NoError(t, err)
}
