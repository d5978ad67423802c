package chainload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"github.com/ethereum/go-ethereum/core/types"

	"getio/engine"
	"getio/engine/failure"
	"getio/engine/loading"
	"getio/record"
	"getio/system/subprocess"
)

type request struct {
	Plan   record.ChainPlan   `json:"plan"`
	Alloc  types.GenesisAlloc `json:"alloc"`
	Engine string             `json:"engine"`
	Dir    string             `json:"dir"`
}

// message is a line that the child writes: its progress or, at the end, what it made.
type message struct {
	Phase string            `json:"phase,omitempty"`
	Done  uint64            `json:"done,omitempty"`
	Total uint64            `json:"total,omitempty"`
	Unit  string            `json:"unit,omitempty"`
	Made  *record.ChainMade `json:"made,omitempty"`
}

// makeInChild makes the chain in a child process, because go-ethereum panics or exits when
// it cannot write, and cannot be interrupted everywhere. The child is killed when ctx is
// cancelled, and when this process ends, in whatever way.
func (j *Job) makeInChild(ctx context.Context, s *staging) (*record.ChainMade, error) {
	text, err := json.Marshal(request{Plan: j.Plan.ChainPlan, Alloc: j.Plan.Alloc, Engine: j.Engine.Name(), Dir: s.path()})
	if err != nil {
		return nil, err
	}
	var complaint stderrHead
	cmd := j.Child(ctx)
	// On Linux, the kernel kills the child when the thread that started it ends: this one, until it is done.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	subprocess.EndWithParent(cmd)
	cmd.Stderr = &complaint
	cmd.ExtraFiles = []*os.File{s.temporary.Lock} // locks the directory until both processes have ended
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the process that makes the chain: %w", err)
	}
	in.Write(append(text, '\n')) // if the child does not read it, its exit status says why
	made := j.follow(out)
	switch err = cmd.Wait(); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil && made != nil:
		return made, nil
	}
	return nil, complaint.of(err)
}

func (j *Job) follow(out io.Reader) (made *record.ChainMade) {
	for words := json.NewDecoder(out); ; {
		var w message
		if words.Decode(&w) != nil {
			return made
		}
		if made = w.Made; made == nil {
			j.report(w.Phase, w.Done, w.Total, w.Unit)
		}
	}
}

// stderrHead keeps the first bytes of the child's standard error; stack traces come after them.
type stderrHead struct{ text []byte }

func (h *stderrHead) Write(p []byte) (int, error) {
	const most = 64 << 10
	h.text = append(h.text, p[:min(len(p), most-len(h.text))]...)
	return len(p), nil
}

func (h *stderrHead) of(ended error) error {
	text := string(h.text)
	if strings.Contains(text, syscall.ENOSPC.Error()) {
		return syscall.ENOSPC
	}
	first, _, _ := strings.Cut(text, "\n")
	if sentence, ours := strings.CutPrefix(first, "getio: "); ours {
		return errors.New(sentence)
	}
	return fmt.Errorf("go-ethereum failed while making the chain (%v: %s): try again, or use another --engine", ended, failure.OneLine(fatalPrefix.ReplaceAllString(first, "")))
}

// fatalPrefix is how Go and go-ethereum begin the line that says why a program ends.
var fatalPrefix = regexp.MustCompile(`^(panic: |CRIT +\[[^\]]*\] )`)

// Serve makes the chain that a parent getio requests on in and reports progress on out. It
// stops if a library fails, or if in is closed because the parent is gone.
func Serve(ctx context.Context, in io.Reader, out io.Writer, byName func(string) (engine.Engine, error), failures *loading.Failures) error {
	orders := json.NewDecoder(in)
	var o request
	if err := orders.Decode(&o); err != nil {
		return errors.New("standard input does not say which chain to make: use 'getio chain build'")
	}
	go func() {
		io.Copy(io.Discard, in)
		failures.Fail(errors.New("the getio that requested the chain is gone"))
	}()
	e, err := byName(o.Engine)
	if err != nil {
		return err
	}
	words := json.NewEncoder(out)
	j := &Job{Plan: Plan{ChainPlan: o.Plan, Alloc: o.Alloc}, Engine: e}
	j.Progress = func(phase string, done, total uint64, unit string) {
		words.Encode(message{Phase: phase, Done: done, Total: total, Unit: unit})
	}
	return loading.Guard(failures, func() error {
		made, err := j.make(ctx, o.Dir)
		if err != nil {
			return err
		}
		return words.Encode(message{Made: made})
	})
}
