package adapter

import (
	"bytes"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// Client is getio's end of a session with an adapter. It is not safe for concurrent use. After any
// error except Refused the child has been killed, and every call returns that error.
type Client struct {
	// Working, if set, is called with the adapter's progress on a request.
	Working func(text string)
	// Timeout is how long the adapter may be silent after a request; 0 takes the default of
	// the request.
	Timeout time.Duration

	hello    Hello
	opened   *Configuration // of the open store
	child    *child
	broken   error
	sent     frame
	received frame
	got      got
	proofs   int // number of keys of the last Get, if it asked for proofs
}

// Refused is the adapter's own reason for not doing what was asked. The session continues.
type Refused struct {
	Adapter string
	Request Kind
	Text    string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("the adapter %s refused to %v: %s", r.Adapter, r.Request, r.Text)
}

// Hello returns the adapter's description of itself.
func (c *Client) Hello() Hello { return c.hello }

func (c *Client) greet() error {
	if err := c.ask(KindHello, &helloRequest{Version}, &c.hello); err != nil {
		return err
	}
	if c.hello.Version != Version {
		return c.breakOff(fmt.Errorf("the adapter %s speaks version %d of the protocol, and this getio version %d: use an adapter made for it",
			c.child.name, c.hello.Version, Version))
	}
	if err := c.hello.Validate(); err != nil {
		return c.invalid(KindHello, err)
	}
	return nil
}

// Open opens a store.
func (c *Client) Open(o Open) (Opened, error) {
	configuration, err := c.hello.Configuration(o.Configuration)
	if err != nil {
		return Opened{}, err
	}
	o.Configuration = configuration.Name
	var opened Opened
	if err := c.ask(KindOpen, &o, &opened); err != nil {
		return Opened{}, err
	}
	c.opened = configuration
	opened.Root = bytes.Clone(opened.Root) // the frame's buffer is reused
	return opened, nil
}

// Load sends records that the next Commit makes part of the store. They must fit in a frame.
func (c *Client) Load(records []Record) error {
	for _, r := range records {
		if c.opened == nil {
			break // the adapter refuses it
		}
		if err := c.opened.Refuse(c.hello.Engine, len(r.Key), len(r.Value)); err != nil {
			return err
		}
	}
	return c.ask(KindLoad, &records, &nothing{})
}

// Commit makes what was loaded durable and returns the store's root.
func (c *Client) Commit() (root []byte, err error) {
	err = c.ask(KindCommit, &nothing{}, &root)
	return bytes.Clone(root), err // the frame's buffer is reused
}

// AtAnswer, as a time for CommitKilled, is when the commit is answered.
const AtAnswer time.Duration = -1

// CommitKilled begins a commit, and then to quiesce, and kills the child that long after the
// beginning, like a crash of the store in the middle. The error is the adapter's refusal.
func (c *Client) CommitKilled(after time.Duration) error {
	var err error
	if after == AtAnswer {
		_, err = c.Commit()
	} else {
		kill := time.AfterFunc(after, c.child.killGroup)
		if _, err = c.Commit(); err == nil {
			err = c.Quiesce()
		}
		kill.Stop() // before the process is gone, and its number another's
	}
	c.Kill()
	if refused, ok := errors.AsType[*Refused](err); ok {
		return refused
	}
	return nil
}

// Get looks up keys in order. took is the adapter's own time for the lookups, without the
// frames. Answers are valid until the next call.
func (c *Client) Get(keys [][]byte, proofs bool) (answers []Answer, took time.Duration, err error) {
	if err := c.ask(KindGet, &getRequest{proofs, keys}, &c.got); err != nil {
		return nil, 0, err
	}
	if len(c.got.Answers) != len(keys) {
		return nil, 0, c.invalid(KindGet, fmt.Errorf("%d answers for %d keys", len(c.got.Answers), len(keys)))
	}
	for _, a := range c.got.Answers {
		switch {
		case a.Found && c.opened != nil && !c.opened.TakesValue(len(a.Value)):
			return nil, 0, c.invalid(KindGet, fmt.Errorf("a value of %d bytes, which it does not support", len(a.Value)))
		case a.Proof > 0 && !proofs:
			return nil, 0, c.invalid(KindGet, errors.New("a proof that was not asked for"))
		}
	}
	if proofs {
		c.proofs = len(keys)
	}
	return c.got.Answers, time.Duration(c.got.Nanoseconds), nil
}

// Check reports for each key of the last Get, which asked for proofs, whether its proof
// proves the claim under the root, by the store's own verifier.
func (c *Client) Check(root []byte, claims []Claim) (proven []bool, err error) {
	if len(claims) != c.proofs {
		return nil, fmt.Errorf("%d claims cannot be checked by the %d proofs of the last lookups", len(claims), c.proofs)
	}
	proofs := c.proofs
	if err := c.ask(KindCheck, &checkRequest{root, claims}, &proven); err != nil {
		return nil, err
	}
	c.proofs = proofs // they can be checked again
	if len(proven) != len(claims) {
		return nil, c.invalid(KindCheck, fmt.Errorf("%d verdicts on %d claims", len(proven), len(claims)))
	}
	return proven, nil
}

// Stats returns the adapter's own numbers.
func (c *Client) Stats() (stats []Stat, err error) {
	err = c.ask(KindStats, &nothing{}, &stats)
	return stats, err
}

// DropCaches empties the store's caches in the adapter's memory.
func (c *Client) DropCaches() error { return c.ask(KindDropCaches, &nothing{}, &nothing{}) }

// Quiesce returns once the store has no background work left.
func (c *Client) Quiesce() error { return c.ask(KindQuiesce, &nothing{}, &nothing{}) }

// Close closes the store. Another one can be opened afterwards.
func (c *Client) Close() error {
	err := c.ask(KindClose, &nothing{}, &nothing{})
	c.opened = nil
	return err
}

// ask sends a request and waits for its answer.
func (c *Client) ask(kind Kind, request, answer any) error {
	if c.broken != nil {
		return c.broken
	}
	c.proofs = 0
	whole := encode(c.sent.begin(kind), request)
	if n := len(whole) - lengthSize; n > MaxFrame {
		return fmt.Errorf("a request to %v of %d bytes exceeds the largest frame (%d): use smaller batches", kind, n, MaxFrame)
	}
	c.child.expect(c.timeoutOf(kind))
	// An adapter that does not read may still have written a reason or an invalid frame.
	if err := c.sent.write(c.child.requests, whole); err != nil && !errors.Is(err, syscall.EPIPE) {
		return c.silent(kind, err)
	}
	return c.await(kind, answer)
}

func (c *Client) timeoutOf(kind Kind) time.Duration {
	switch {
	case c.Timeout > 0:
		return c.Timeout
	case kind == KindHello:
		return 30 * time.Second
	case kind == KindGet || kind == KindCheck || kind == KindStats:
		return time.Minute
	}
	return 10 * time.Minute // to open a store may replay a log
}

// await receives the answer to a request. Progress messages extend the deadline.
func (c *Client) await(kind Kind, answer any) error {
	for {
		is, payload, err := c.received.read(c.child.answers)
		if err != nil {
			return c.silent(kind, err)
		}
		var said string
		switch is {
		case kind | kindAnswer:
			if err := decode(payload, answer); err != nil {
				return c.invalid(kind, err)
			}
			return nil
		case kindWorking, kindFailed:
			if err := decode(payload, &said); err != nil {
				return c.invalid(kind, err)
			}
		default:
			return c.invalid(kind, fmt.Errorf("a frame of %v", is))
		}
		if is == kindFailed {
			return &Refused{c.child.name, kind, clip(said)}
		}
		c.child.expect(c.timeoutOf(kind))
		if c.Working != nil {
			c.Working(clip(said))
		}
	}
}

// silent is the error if no answer came: the adapter is gone, hangs, or wrote no frame.
func (c *Client) silent(kind Kind, err error) error {
	if _, large := errors.AsType[errTooLarge](err); large || errors.Is(err, errEmpty) {
		return c.invalid(kind, err)
	}
	return c.breakOff(c.child.gone(kind, c.timeoutOf(kind), err))
}

func (c *Client) invalid(kind Kind, err error) error {
	return c.breakOff(fmt.Errorf("the adapter %s answered %v with an invalid frame (%w): it does not follow the protocol", c.child.name, kind, err))
}

// breakOff kills the child after an error that ends the session.
func (c *Client) breakOff(err error) error {
	c.child.kill()
	c.broken = err
	return err
}

// End ends the session and the child.
func (c *Client) End() error {
	if c.broken != nil {
		return nil // already ended, and the reason was returned
	}
	c.broken = errors.New("the session with the adapter has ended")
	return c.child.end()
}

// Kill kills the child at once with SIGKILL, like a crash of the store, and returns when it
// is gone.
func (c *Client) Kill() {
	c.child.forget()
	if c.broken == nil {
		c.child.killGroup() // grandchildren, even if the child has exited
	}
	c.child.kill()
	c.broken = errors.New("the adapter was killed")
}
