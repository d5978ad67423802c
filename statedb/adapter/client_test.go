package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/internal/adaptertest"
	"getio/statedb/adapter"
)

var requireError = adaptertest.RequireError

func TestMain(m *testing.M) { adaptertest.Run(m, nil) }

// command starts the model with a fault.
func command(t testing.TB, fault adaptertest.Fault) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), adaptertest.FaultVariable+"="+string(fault))
	return cmd
}

func start(t *testing.T, fault adaptertest.Fault) *adapter.Client {
	t.Helper()
	c, err := adapter.Start(t.Context(), command(t, fault), time.Minute)
	require.NoError(t, err)
	t.Cleanup(func() { c.End() })
	return c
}

var (
	keyA, keyB, keyC = bytes.Repeat([]byte{1}, 20), bytes.Repeat([]byte{2}, 20), bytes.Repeat([]byte{3}, 20)
	small, large     = bytes.Repeat([]byte{4}, 32), bytes.Repeat([]byte{5}, 72)
)

// loaded returns a session with a store that has keys A and B.
func loaded(t *testing.T, fault adaptertest.Fault) (c *adapter.Client, dir string, root []byte) {
	t.Helper()
	c = start(t, fault)
	dir = filepath.Join(t.TempDir(), "store")
	_, err := c.Open(adapter.Open{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, c.Load([]adapter.Record{{Key: keyA, Value: small}, {Key: keyB, Value: large}}))
	root, err = c.Commit()
	require.NoError(t, err)
	return c, dir, root
}

func TestSession(t *testing.T) {
	c, dir, root := loaded(t, adaptertest.None)
	if h := c.Hello(); h.Engine != "model" || len(h.Configurations) != 2 || h.Configurations[0].KeyHash != "sha256" || !h.Configurations[0].Caches[0].Stays {
		t.Errorf("hello %+v", h)
	}
	assert.Len(t, root, 32)
	answers, took, err := c.Get([][]byte{keyB, keyC, keyA}, true)
	require.NoError(t, err)
	if took <= 0 || len(answers) != 3 || !answers[0].Found || !bytes.Equal(answers[0].Value, large) || answers[1].Found || !bytes.Equal(answers[2].Value, small) || answers[0].Proof == 0 {
		t.Errorf("%v: %+v", took, answers)
	}
	claims := []adapter.Claim{{Present: true, Value: large}, {}, {Present: true, Value: large}}
	for range 2 { // proofs can be checked again
		proven, err := c.Check(root, claims)
		require.NoError(t, err)
		if !proven[0] || !proven[1] || proven[2] {
			t.Errorf("proven: %v", proven)
		}
	}
	var said string
	c.Working = func(text string) { said = text }
	require.NoError(t, c.Quiesce())
	assert.Equal(t, "nothing in particular", said)
	stats, err := c.Stats()
	require.NoError(t, err)
	if len(stats) != 1 || stats[0].Value != 2 {
		t.Errorf("stats %v", stats)
	}
	require.NoError(t, c.DropCaches())
	require.NoError(t, c.Close())
	opened, err := c.Open(adapter.Open{Dir: dir, Mode: adapter.Read})
	require.NoError(t, err)
	if !bytes.Equal(opened.Root, root) || len(opened.Options) != 1 {
		t.Errorf("opened %+v", opened)
	}
	require.NoError(t, c.End())
}

// TestRefusals checks that the client or the adapter refuses invalid requests, and that the
// session continues.
func TestRefusals(t *testing.T) {
	c, dir, root := loaded(t, adaptertest.None)
	one := func(key, value []byte) error { return c.Load([]adapter.Record{{Key: key, Value: value}}) }
	for says, ask := range map[string]func() error{
		"model takes keys of 20 to 20 bytes, not 2":                      func() error { return one([]byte("ab"), small) },
		"model takes values of [32 72] bytes only, not 33":               func() error { return one(keyA, make([]byte, 33)) },
		"refused to open: a store is open already":                       func() error { _, err := c.Open(adapter.Open{Dir: dir}); return err },
		`model has no configuration "c": use one of accounts, bytes`:     func() error { _, err := c.Open(adapter.Open{Configuration: "c"}); return err },
		"2 claims cannot be checked by the 0 proofs of the last lookups": func() error { _, err := c.Check(root, make([]adapter.Claim, 2)); return err },
		"exceeds the largest frame (67108864): use smaller batches":      func() error { _, _, err := c.Get([][]byte{make([]byte, 70<<20)}, false); return err },
	} {
		requireError(t, ask(), says)
	}
	_, _, err := c.Get([][]byte{keyA}, false)
	require.NoError(t, err)
	require.NoError(t, c.Close())
	requireError(t, c.Quiesce(), "refused to quiesce: no store is open$")
	_, err = c.Open(adapter.Open{Dir: dir, Mode: adapter.Read})
	require.NoError(t, err)
	requireError(t, one(keyA, small), "refused to load: the store is open for reading only$")
	_, err = c.Commit()
	requireError(t, err, "refused to commit: the store is open for reading only$")
}

// TestBrokenAdapters checks that each fault is named, ends the child, and yields no answer.
func TestBrokenAdapters(t *testing.T) {
	for fault, says := range map[adaptertest.Fault]string{
		adaptertest.Dies:         "ended (exit status 3) before it answered get, and said: the model has seen enough",
		adaptertest.Crashes:      "ended (exit status 2) before it answered get, and said: the model is beside itself",
		adaptertest.Hangs:        "did not answer get within 1s and was killed: if it needs longer, allow it more time",
		adaptertest.HalfFrame:    "did not answer get within 1s and was killed",
		adaptertest.CutFrame:     "ended (exit status 0) before it answered get",
		adaptertest.TooLarge:     "answered get with an invalid frame (a frame of 4294967295 bytes, and the largest has 67108864): it does not follow the protocol",
		adaptertest.Empty:        "answered get with an invalid frame (a frame of 0 bytes, which has no kind)",
		adaptertest.Short:        "answered get with an invalid frame (it ends too early)",
		adaptertest.Long:         "answered get with an invalid frame (1 bytes follow its end)",
		adaptertest.Noise:        "answered get with an invalid frame (",
		adaptertest.OtherAnswer:  "answered get with an invalid frame (a frame of commit)",
		adaptertest.FewerAnswers: "answered get with an invalid frame (0 answers for 2 keys)",
		adaptertest.OddValue:     "answered get with an invalid frame (a value of 33 bytes, which it does not support)",
		adaptertest.OddProof:     "answered get with an invalid frame (a proof that was not asked for)",
	} {
		t.Run(string(fault), func(t *testing.T) {
			c := start(t, fault)
			_, err := c.Open(adapter.Open{Dir: t.TempDir()})
			require.NoError(t, err)
			require.NoError(t, c.Load([]adapter.Record{{Key: keyA, Value: small}, {Key: keyB, Value: small}}))
			if fault == adaptertest.Hangs || fault == adaptertest.HalfFrame {
				c.Timeout = time.Second // the answer never comes
			}
			answers, _, err := c.Get([][]byte{keyA, keyB}, false)
			requireBroken(t, err, says)
			assert.Nil(t, answers)
			requireGone(t, c.Pid())
			if again := c.Quiesce(); again == nil || again.Error() != err.Error() {
				t.Errorf("%v, and afterwards %v", err, again)
			}
		})
	}
}

func requireBroken(t *testing.T, err error, says string) {
	t.Helper()
	requireError(t, err, says)
	requireError(t, err, filepath.Base(os.Args[0])) // names the adapter
	assert.NotContains(t, err.Error(), "\n", "more than a sentence: %v", err)
}

// requireGone checks that the process was killed and waited for.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}

// TestNoAdapters checks that programs which are no adapters are refused at once.
func TestNoAdapters(t *testing.T) {
	for fault, says := range map[adaptertest.Fault]string{
		adaptertest.Deaf:          "did not answer hello within 1s and was killed",
		adaptertest.Text:          `answered hello with an invalid frame (text that begins with "Welc", and text belongs on standard error)`,
		adaptertest.NotAnAdapter:  "ended (exit status 0) before it answered hello",
		adaptertest.OtherVersion:  "speaks version 9 of the protocol, and this getio version 1: use an adapter made for it",
		adaptertest.OffersNothing: "answered hello with an invalid frame (it offers no configuration)",
	} {
		t.Run(string(fault), func(t *testing.T) {
			cmd := command(t, fault)
			timeout := time.Minute
			if fault == adaptertest.Deaf {
				timeout = time.Second
			}
			_, err := adapter.Start(t.Context(), cmd, timeout)
			requireBroken(t, err, says)
			requireGone(t, cmd.Process.Pid)
		})
	}
	_, err := adapter.Start(t.Context(), exec.Command("/no/such/adapter"), 0)
	if err == nil || err.Error() != "cannot start the adapter /no/such/adapter (no such file or directory): name an executable program" {
		t.Error(err)
	}
	_, err = adapter.Start(t.Context(), exec.Command("no-such-adapter"), 0)
	requireError(t, err, "cannot start the adapter no-such-adapter (executable file not found in $PATH)")
}

// TestEnds checks that an adapter which does not exit, or fails on exit, is named.
func TestEnds(t *testing.T) {
	c := start(t, adaptertest.EndsBadly)
	requireError(t, c.End(), "failed (exit status 4), and said: the model is tired$")
	c = start(t, adaptertest.FailsToClose)
	_, err := c.Open(adapter.Open{Dir: t.TempDir()})
	require.NoError(t, err)
	requireError(t, c.End(), "failed (exit status 1), and said: the model does not like to be closed")
	c = start(t, adaptertest.Lingers)
	before := adapter.SetEndWithin(time.Second)
	defer adapter.SetEndWithin(before)
	requireError(t, c.End(), "did not exit within 1s of its last request and was killed")
	requireGone(t, c.Pid())
}

// TestKilled kills a child, which then has no time to close its store.
func TestKilled(t *testing.T) {
	for range 20 {
		c, dir, root := loaded(t, adaptertest.None)
		require.NoError(t, c.Load([]adapter.Record{{Key: keyC, Value: small}}))
		c.Kill()
		requireGone(t, c.Pid())
		if _, err := c.Commit(); err == nil || err.Error() != "the adapter was killed" {
			t.Error(err)
		}
		require.NoError(t, c.End())
		opened, err := start(t, adaptertest.None).Open(adapter.Open{Dir: dir, Mode: adapter.Write})
		require.NoError(t, err)
		require.Equal(t, root, opened.Root)
	}
}

// TestLeavesNothingBehind checks that processes started by an adapter are killed with it.
func TestLeavesNothingBehind(t *testing.T) {
	model := command(t, adaptertest.None)
	cmd := exec.Command("sh", "-c", `sleep 600 < /dev/null > /dev/null 2>&1 & exec "$0" 3>&-`, model.Path)
	cmd.Env = model.Env
	alive, held, err := os.Pipe() // alive is at its end once no process holds the other end
	require.NoError(t, err)
	defer alive.Close()
	cmd.ExtraFiles = []*os.File{held}
	c, err := adapter.Start(t.Context(), cmd, time.Minute)
	require.NoError(t, err)
	require.NoError(t, held.Close())
	require.NoError(t, c.End())
	require.NoError(t, alive.SetReadDeadline(time.Now().Add(30*time.Second)))
	if _, err := alive.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("a process is left behind: %v", err)
	}
}

// TestInterrupted cancels the context of a session.
func TestInterrupted(t *testing.T) {
	for _, fault := range []adaptertest.Fault{adaptertest.Hangs, adaptertest.Chatters} {
		ctx, cancel := context.WithCancel(t.Context())
		c, err := adapter.Start(ctx, command(t, fault), time.Minute)
		require.NoError(t, err)
		_, err = c.Open(adapter.Open{Dir: t.TempDir()})
		require.NoError(t, err)
		asked := make(chan error)
		go func() {
			_, _, err := c.Get([][]byte{keyA}, false)
			asked <- err
		}()
		cancel()
		if err := <-asked; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", fault, err)
		}
		requireGone(t, c.Pid())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	cmd := command(t, adaptertest.None)
	if _, err := adapter.Start(ctx, cmd, 0); !errors.Is(err, context.Canceled) || cmd.Process != nil {
		t.Errorf("%v, and it was started: %v", err, cmd.Process != nil)
	}
}
