package enginetest

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
)

// lockEnv names to a child process the database to hold open.
const lockEnv = "ENGINETEST_HOLD"

// Main runs the tests of a package and returns the exit code. Started by HoldElsewhere as a child process, it only holds
// a database of one of the engines open for writing until its standard input ends.
func Main(m *testing.M, engines ...engine.Engine) int {
	dir := os.Getenv(lockEnv)
	if dir == "" {
		return m.Run()
	}
	var loader engine.Loader
	var cfg engine.Config
	e, _, err := engine.Registry(engines).Recognise(dir)
	if err == nil {
		cfg, err = e.Configure("", nil)
	}
	if err == nil {
		loader, err = e.Resume(dir, cfg)
	}
	if err == nil {
		err = loader.Settle(context.Background(), nil) // so that it changes nothing any more
	}
	if err != nil {
		os.Stdout.WriteString("failed: " + err.Error() + "\n")
		return 1
	}
	os.Stdout.WriteString("held\n")
	os.Stdin.Read(make([]byte, 1))
	return 0
}

// HoldElsewhere opens dir for writing in another process.
func HoldElsewhere(t *testing.T, dir string) (release func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), lockEnv+"="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line := make([]byte, 200)
	n, err := out.Read(line)
	require.NoError(t, err)
	if !strings.HasPrefix(string(line[:n]), "held") {
		t.Fatalf("the other process does not hold the database: %s", line[:n])
	}
	return func() {
		in.Close()
		cmd.Wait()
	}
}
