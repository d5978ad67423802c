package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"getio/statedb/adapter"
)

// killedInCommits kills the adapter in the middle of commits, at moments spread evenly: of every two,
// one over the time of the commit, one over the time until it is durable. The last one comes as soon
// as the commit is answered, however long that takes. Each time, the store must open again with the
// state before the commit or after it, and commits must go on.
func (t *trial) killedInCommits() (string, error) {
	if t.Kills == 0 {
		return "skipped", nil
	}
	commit, durable, err := t.timeCommit()
	if err != nil {
		return "", err
	}
	var kept int
	for i := range t.Kills {
		after := commit
		if i%2 == 1 {
			after = durable
		}
		after = time.Duration(float64(after) * (float64(i) + 0.5) / float64(t.Kills))
		if i == t.Kills-1 {
			after = adapter.AtAnswer
		}
		there, err := t.killInCommit(after)
		if err != nil {
			return "", fmt.Errorf("after kill %d of %d, %s of about %v, durable after %v: %w", i+1, t.Kills, into(after), commit.Round(time.Microsecond), durable.Round(time.Microsecond), err)
		}
		if there {
			kept++
		}
	}
	return fmt.Sprintf("%d kills within %v and %v, %d commits were kept", t.Kills, commit.Round(100*time.Microsecond), durable.Round(100*time.Microsecond), kept), nil
}

// into says where in a commit a kill came.
func into(after time.Duration) string {
	if after == adapter.AtAnswer {
		return "at the answer of a commit"
	}
	return fmt.Sprintf("%v into a commit", after.Round(time.Microsecond))
}

// timeCommit makes a commit like those that will be killed, and returns how long it took, and how
// long it took until it was durable.
func (t *trial) timeCommit() (commit, durable time.Duration, err error) {
	if err := t.send(t.change()); err != nil {
		return 0, 0, err
	}
	begun := time.Now()
	if t.root, err = t.client.Commit(); err != nil {
		return 0, 0, err
	}
	commit = time.Since(begun)
	err = t.client.Quiesce()
	return commit, time.Since(begun), err
}

// change updates some keys of the state and adds others.
func (t *trial) change() []adapter.Record {
	return append(t.state.update(5), t.state.add(max(1, t.Keys/50))...)
}

// killInCommit kills the adapter in a commit, opens the store again, makes the commit again if
// it was lost, and looks everything up. It reports whether the commit was kept.
func (t *trial) killInCommit(after time.Duration) (kept bool, err error) {
	if err := t.client.Quiesce(); err != nil {
		return false, err
	}
	before := t.state.clone()
	records := t.change()
	if err := t.send(records); err != nil {
		return false, err
	}
	if err := t.client.CommitKilled(after); err != nil {
		t.client = nil
		return false, err
	}
	if t.client, err = t.start(t.ctx); err != nil {
		return false, err
	}
	opened, err := t.client.Open(t.open(adapter.Write))
	if err != nil {
		return false, err
	}
	if kept, err = t.whichState(before, records, opened.Root); err != nil {
		return false, err
	}
	again := records
	if kept {
		t.root = opened.Root
		again = t.state.update(13) // commits must go on in either case
	}
	if err := t.send(again); err != nil {
		return false, err
	}
	if t.root, err = t.client.Commit(); err != nil {
		return false, fmt.Errorf("the store cannot commit any more: %w", err)
	}
	_, err = t.lookUp()
	return kept, err
}

// whichState compares the killed commit's keys with their values before and after. A store with
// a root must have all of one kind, that of its root. A store without one may have made records
// durable before their commit.
func (t *trial) whichState(before *state, records []adapter.Record, root []byte) (kept bool, err error) {
	old := bytes.Equal(root, t.root)
	var olds, news int
	for some := range slices.Chunk(records, batch) {
		keys := make([][]byte, len(some))
		for i, r := range some {
			keys[i] = r.Key
		}
		answers, _, err := t.client.Get(keys, false)
		if err != nil {
			return false, err
		}
		for i, a := range answers {
			got, was, is := adapter.Claim{Present: a.Found, Value: a.Value}, before.claim(keys[i]), t.state.claim(keys[i])
			switch {
			case same(was, is) && same(got, is): // says nothing: both values are empty
			case same(got, is):
				news++
			case same(got, was):
				olds++
			default:
				return false, fmt.Errorf("wrong value: key %x has %s, neither its value before the commit nor the one after", keys[i], show(a.Value))
			}
		}
	}
	switch {
	case len(root) == 0 && len(t.root) == 0:
		return olds == 0, nil
	case old && news > 0, !old && olds > 0:
		return false, fmt.Errorf("%d keys have their values before the commit and %d those after, under root %x; it was %x before", olds, news, root, t.root)
	case len(root) == 0:
		return false, errors.New("the store opened without a root")
	}
	return !old, nil
}

func same(a, b adapter.Claim) bool { return a.Present == b.Present && bytes.Equal(a.Value, b.Value) }
