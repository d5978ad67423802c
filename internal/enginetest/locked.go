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

// holdLockIfChild makes a child process hold a database open for writing until its
// standard input ends.
func (s Suite) holdLockIfChild() {
	dir := os.Getenv(lockEnv)
	if dir == "" {
		return
	}
	var loader engine.Loader
	cfg, err := s.Engine.Configure("", nil)
	if err == nil {
		loader, err = s.Engine.Resume(dir, cfg)
	}
	if err == nil {
		err = loader.Settle(context.Background(), nil) // so that it changes nothing any more
	}
	if err != nil {
		os.Stdout.WriteString("failed: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

// holdElsewhere opens dir for writing in another process.
func holdElsewhere(t *testing.T, dir string) (release func()) {
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

// locked checks that a database that another process writes is neither read nor written.
func (l *loaded) locked(t *testing.T) {
	dir := copyOf(t, l.dir)
	defer holdElsewhere(t, dir)()
	RequireUnchanged(t, dir, func() {
		_, err := l.Engine.OpenStore(context.Background(), dir, l.cfg)
		requireError(t, "reading a locked database", err, "locked")
		_, err = l.Engine.Resume(dir, l.cfg)
		requireError(t, "loading into a locked database", err, "locked")
		_, err = l.Engine.(engine.Updater).OpenUpdating(dir, l.cfg, engine.OpenConfig{CacheBytes: 1 << 20})
		requireError(t, "updating a locked database", err, "locked")
	})
}
