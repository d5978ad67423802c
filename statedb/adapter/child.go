package adapter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"getio/system/atomicfile"
)

// Start starts an adapter and greets it. The session sets cmd's standard streams and process
// group. When ctx is done, the child is killed. timeout becomes Client.Timeout.
func Start(ctx context.Context, cmd *exec.Cmd, timeout time.Duration) (*Client, error) {
	return StartBy(ctx, cmd, (*exec.Cmd).Start, timeout)
}

// StartBy is Start with another way to start the command, such as in a control group.
func StartBy(ctx context.Context, cmd *exec.Cmd, start func(*exec.Cmd) error, timeout time.Duration) (*Client, error) {
	child, err := startChild(ctx, cmd, start)
	if err != nil {
		return nil, err
	}
	c := &Client{child: child, Timeout: timeout}
	if err := c.greet(); err != nil {
		return nil, err
	}
	return c, nil
}

// Pid is the process ID of the child.
func (c *Client) Pid() int { return c.child.cmd.Process.Pid }

// ProcessorTime is the user and system time of the child. It is known once the session has ended.
func (c *Client) ProcessorTime() time.Duration {
	state := c.child.cmd.ProcessState
	if state == nil {
		return 0
	}
	return state.UserTime() + state.SystemTime()
}

// child is the process of an adapter.
type child struct {
	name     string
	cmd      *exec.Cmd
	ctx      context.Context
	forget   func() bool // detaches ctx from the child
	requests *os.File
	answers  *os.File
	said     said
	waited   chan struct{} // closed when the process has exited
	exit     error         // exit error; valid once waited is closed
}

func startChild(ctx context.Context, cmd *exec.Cmd, start func(*exec.Cmd) error) (*child, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &child{name: filepath.Base(cmd.Path), cmd: cmd, ctx: ctx, waited: make(chan struct{})}
	in, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, out, err := os.Pipe()
	if err != nil {
		in.Close()
		requests.Close()
		return nil, err
	}
	c.requests, c.answers = requests, answers
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, &c.said
	cmd.WaitDelay = endWithin // for grandchildren that still hold standard error
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// Ctrl-C on a terminal goes to getio, which ends the child itself.
	cmd.SysProcAttr.Setpgid = true
	err = start(cmd)
	in.Close()
	out.Close()
	if err != nil {
		c.closePipes()
		return nil, &NotStarted{cmd.Args[0], plain(err)}
	}
	go func() {
		c.exit = cmd.Wait()
		close(c.waited)
	}()
	c.forget = context.AfterFunc(ctx, c.kill)
	return c, nil
}

// NotStarted is the error for a program that could not be run.
type NotStarted struct {
	Adapter string
	Err     error
}

func (n *NotStarted) Error() string {
	return fmt.Sprintf("cannot start the adapter %s (%v): name an executable program", n.Adapter, n.Err)
}

func (n *NotStarted) Unwrap() error { return n.Err }

// plain strips the path that os/exec puts in front of an error.
func plain(err error) error {
	if run, ok := errors.AsType[*exec.Error](err); ok {
		return run.Err
	}
	return atomicfile.Cause(err)
}

// expect sets the deadline of the next request and answer.
func (c *child) expect(within time.Duration) {
	at := time.Now().Add(within)
	c.requests.SetDeadline(at)
	c.answers.SetDeadline(at)
}

// endWithin is how long a child may take to exit after its last request.
var endWithin = 10 * time.Second

// end closes the requests and waits for the child to exit.
func (c *child) end() error {
	defer c.answers.Close()
	defer c.forget()
	c.requests.Close()
	select {
	case <-c.waited:
	case <-time.After(endWithin):
		c.kill()
		return fmt.Errorf("the adapter %s did not exit within %v of its last request and was killed", c.name, endWithin)
	}
	c.killGroup() // grandchildren
	if c.exit != nil {
		return fmt.Errorf("the adapter %s failed (%w)%s", c.name, c.exit, c.said.words())
	}
	return nil
}

// kill kills the child and all that it started.
func (c *child) kill() {
	select {
	case <-c.waited:
	default:
		c.killGroup()
		_ = c.cmd.Process.Kill()
		<-c.waited
	}
	c.closePipes()
}

// killGroup kills the child's process group. Its number stays reserved as long as one of its
// processes exists.
func (c *child) killGroup() { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }

func (c *child) closePipes() {
	c.requests.Close()
	c.answers.Close()
}

// gone is the error for a child that did not answer.
func (c *child) gone(kind Kind, within time.Duration, err error) error {
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("the adapter %s did not answer %v within %v and was killed%s: if it needs longer, allow it more time", c.name, kind, within, c.said.words())
	}
	// The child closed its end of a pipe, usually because it is exiting.
	select {
	case <-c.waited:
	case <-time.After(endWithin):
		return fmt.Errorf("the adapter %s closed its standard output before it answered %v%s", c.name, kind, c.said.words())
	}
	how := "exit status 0"
	if c.exit != nil {
		how = c.exit.Error()
	}
	return fmt.Errorf("the adapter %s ended (%s) before it answered %v%s", c.name, how, kind, c.said.words())
}

// said keeps the start and the end of what a child writes to standard error. The reason is
// usually at the start.
type said struct {
	mu          sync.Mutex
	first, last []byte
}

const keptWords = 4 << 10

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if room := keptWords - len(s.first); room > 0 {
		s.first = append(s.first, p[:min(room, len(p))]...)
	}
	s.last = append(s.last, p...)
	if over := len(s.last) - keptWords; over > 0 {
		s.last = append(s.last[:0], s.last[over:]...)
	}
	return len(p), nil
}

// words returns the child's own reason as the end of a sentence.
func (s *said) words() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	reason := crash.FindSubmatch(s.first)
	if reason == nil {
		reason = crash.FindSubmatch(s.last)
	}
	if reason == nil {
		reason = lastLine.FindSubmatch(bytes.TrimSpace(s.last))
	}
	text := clip(string(reason[1]))
	if text == "" {
		return ""
	}
	return ", and said: " + text
}

var (
	// crash finds the message of a Go panic, or of a Rust panic, whose source position comes first.
	crash    = regexp.MustCompile(`(?m)(?:^panic: | panicked at .*\n)(.*)`)
	lastLine = regexp.MustCompile(`([^\n]*)$`)
)

// maxWords is the longest reason that a sentence takes, in bytes.
const maxWords = 300

// clip puts an adapter's words on one line.
func clip(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "") + " ..."
	}
	return text
}
