//go:build linux

package powercut

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// blockSize is what the page cache writes back as a whole.
const blockSize = 4096

// State is a directory after a power cut.
type State struct {
	Why   string // where the power was cut, and how much was lost
	files map[string]file
}

type file struct {
	isDir bool
	data  []byte
}

// Draw draws a state. Each kind of operation is cut at equally often, and the last ones more often.
func (l *Log) Draw(rng *rand.Rand) *State {
	cut := l.drawCut(rng)
	h := l.until(cut)
	nameLoss, dataLoss := drawLoss(rng), drawLoss(rng)
	kept := nameLoss.kept(rng, len(h.pendingNames))
	for i, o := range h.pendingNames {
		if kept[i] {
			h.names.apply(o)
		}
	}
	s := h.state(func(n node) []byte { return h.contents(rng, n, dataLoss) })
	s.Why = fmt.Sprintf("cut after %d of %d operations", cut, len(l.ops))
	if cut > 0 {
		s.Why += fmt.Sprintf(", the last one %s; unsynced names: %s, unsynced data: %s", l.ops[cut-1].kind, nameLoss, dataLoss)
	}
	return s
}

func (l *Log) drawCut(rng *rand.Rand) int {
	const end = 16
	if n := len(l.ops); n >= end && rng.IntN(4) == 0 {
		return n - rng.IntN(end)
	}
	var of [opKinds][]int
	for i, o := range l.ops {
		of[o.kind] = append(of[o.kind], i)
	}
	kinds := slices.DeleteFunc(of[:], func(at []int) bool { return len(at) == 0 })
	if len(kinds) == 0 {
		return 0
	}
	at := kinds[rng.IntN(len(kinds))]
	return at[rng.IntN(len(at))] + rng.IntN(2) // before or after it
}

// loss is which of the operations that were not synced are lost.
type loss int

const (
	all    loss = iota
	none        // as after a kill
	tail        // all after some operation
	random      // each by itself
	losses
)

func (l loss) String() string {
	return [losses]string{"lost", "kept", "the first kept", "some kept"}[l]
}

// drawLoss draws the last two kinds more often: they have many states.
func drawLoss(rng *rand.Rand) loss {
	return [...]loss{all, none, tail, tail, random, random}[rng.IntN(6)]
}

// kept draws which of n operations are kept.
func (l loss) kept(rng *rand.Rand, n int) []bool {
	kept := make([]bool, n)
	first := rng.IntN(n + 1)
	for i := range kept {
		switch l {
		case none:
			kept[i] = true
		case tail:
			kept[i] = i < first
		case random:
			kept[i] = rng.IntN(2) == 0
		}
	}
	return kept
}

// history is what is known of the files at a moment.
type history struct {
	log          *Log
	names        names // that are durable
	pendingNames []*op
	durable      map[node][]*op // of the contents of files
	pending      map[node][]*op
}

// until returns the history of the first operations.
func (l *Log) until(cut int) *history {
	h := &history{log: l, names: names{}, durable: map[node][]*op{}, pending: map[node][]*op{}}
	for i := range l.ops[:cut] {
		switch o := &l.ops[i]; o.kind {
		case naming:
			h.pendingNames = append(h.pendingNames, o)
		case writing, cutting:
			h.pending[o.node] = append(h.pending[o.node], o)
		case syncing:
			h.sync(o.node)
		case syncingAll:
			for n := range l.isDir {
				h.sync(node(n))
			}
		}
	}
	return h
}

func (h *history) sync(n node) {
	if !h.log.isDir[n] {
		h.durable[n] = append(h.durable[n], h.pending[n]...)
		delete(h.pending, n)
		return
	}
	h.pendingNames = slices.DeleteFunc(h.pendingNames, func(o *op) bool {
		synced := o.from != nil && o.from.dir == n || o.to != nil && o.to.dir == n
		if synced {
			h.names.apply(o)
		}
		return synced
	})
}

// contents draws the contents of a file.
func (h *history) contents(rng *rand.Rand, n node, l loss) []byte {
	data, pending := replay(nil, h.durable[n]), h.pending[n]
	if len(pending) == 0 || l == all {
		return data
	}
	if l == random && rng.IntN(3) == 0 { // files differ from each other
		l = loss(rng.IntN(int(losses)))
	}
	switch l {
	case all:
		return data
	case none:
		return replay(data, pending)
	case tail:
		return cutTail(rng, data, pending)
	}
	return mixed(rng, data, pending)
}

// cutTail keeps the first operations, and the last of these in part.
func cutTail(rng *rand.Rand, data []byte, pending []*op) []byte {
	n := rng.IntN(len(pending))
	data = replay(data, pending[:n])
	if last := *pending[n]; last.kind == writing {
		last.data = last.data[:rng.IntN(len(last.data)+1)]
		data = last.written(data)
	}
	return data
}

// mixed takes each block from before or after the operations, and one of the sizes in between.
func mixed(rng *rand.Rand, data []byte, pending []*op) []byte {
	after := slices.Clone(data)
	sizes := []int64{int64(len(data))}
	for _, o := range pending {
		after = o.written(after)
		sizes = append(sizes, int64(len(after)))
	}
	size := sizes[rng.IntN(len(sizes))]
	if rng.IntN(2) == 0 {
		size = int64(len(after))
	}
	data, after = resized(data, size), resized(after, size)
	for at := int64(0); at < size; at += blockSize {
		if end := min(at+blockSize, size); rng.IntN(2) == 0 {
			copy(data[at:end], after[at:end])
		}
	}
	return data
}

// state returns the files that names lead to.
func (h *history) state(contents func(node) []byte) *State {
	s := &State{files: map[string]file{}}
	in := map[node][]entry{}
	for at := range h.names {
		in[at.dir] = append(in[at.dir], at)
	}
	var walk func(dir node, path string)
	walk = func(dir node, path string) {
		slices.SortFunc(in[dir], func(a, b entry) int { return cmp.Compare(a.name, b.name) }) // a seed repeats a state
		for _, at := range in[dir] {
			n, name := h.names[at], filepath.Join(path, at.name)
			if h.log.isDir[n] {
				s.files[name] = file{isDir: true}
				walk(n, name)
			} else {
				s.files[name] = file{data: contents(n)}
			}
		}
	}
	walk(root, "")
	return s
}

// Sum returns a hash of names and contents: equal states have the same.
func (s *State) Sum() [sha256.Size]byte {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		fmt.Fprintf(h, "%q %v ", name, s.files[name].isDir)
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s.files[name].data))))
		h.Write(s.files[name].data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Write writes the state to a directory, which it makes.
func (s *State) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) { // a directory comes before what is in it
		var err error
		if path := filepath.Join(dir, name); s.files[name].isDir {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, s.files[name].data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
