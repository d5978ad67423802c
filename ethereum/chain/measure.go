package chain

import (
	"context"
	"fmt"
	"time"

	"getio/engine"
	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/record"
	"getio/record/judge"
)

// Run describes a run of operations, one after another: a warm-up, then those measured.
type Run struct {
	Operation Operation
	Flat      bool                                    // read flat state, not the tries
	Targets   func(n int) (first []Target, err error) // the first n targets
	Warmup    int                                     // operations
	// UntilFull ends the warm-up when the cache is full, after Warmup operations at most.
	UntilFull  bool
	Operations int // measured
	// Windows is the number of windows that the measured operations are divided into. With 0, it is 20.
	Windows int
	// Until is when the run should end; the zero Time does not bound it.
	Until time.Time
	// Progress, if set, is called with the number of operations done, including the warm-up.
	Progress func(done int)
}

// windows is the default number of windows of a measured run.
const windows = 20

// windowsOf returns the number of windows, each of which has an operation.
func (r Run) windowsOf() int { return min(max(r.Windows, windows), r.Operations) }

// Measure carries out the run on a chain opened with an empty cache. The record does not say
// how the targets were drawn or where the chain is.
func (r Run) Measure(ctx context.Context, s engine.Store, place Place, cache engine.OpenConfig) (*record.Chain, error) {
	c, err := Open(s, place, cache)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if r.Operation.OfState() {
		if _, err := c.FindState(); err != nil {
			return nil, err
		}
		if err := c.requireFlat(r.Flat); err != nil {
			return nil, err
		}
	}
	m := &runState{Run: r, chain: c}
	if err := m.warmUp(ctx); err != nil {
		return nil, err
	}
	m.kvGets = c.gets()
	clear(c.reader.gets)
	c.reader.frozen = Frozen{}
	m.before = c.db.Counts()
	if err := m.windows(ctx); err != nil {
		return nil, err
	}
	return m.record(s), nil
}

func (c *Chain) requireFlat(flat bool) error {
	if !flat || c.state.Flat {
		return nil
	}
	return fmt.Errorf("%s has no complete flat state with the root of its tries: read the tries with --state trie", c.place.Dir)
}

// runState is a run in progress.
type runState struct {
	Run
	chain  *Chain
	made   int
	timeUp bool  // before all operations were made
	kvGets int64 // since the chain was opened
	before engine.Counts
	took   time.Duration
	// Reads of the measured windows, per key looked up and per operation.
	perGet, perOp []steady.Window
}

// make carries out the next operations, until so many were made.
func (m *runState) make(ctx context.Context, until int) error {
	list, err := m.Targets(until)
	if err != nil {
		return err
	}
	for ; m.made < until; m.made++ {
		if m.made%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if m.Progress != nil {
				m.Progress(m.made)
			}
		}
		if err := m.chain.do(m.Operation, &list[m.made], m.Flat); err != nil {
			return err
		}
	}
	return nil
}

// fewReads is how many reads per operation show that what the operations need is in the cache, which
// may be larger than that.
const fewReads = 0.01

// warmUp carries out Warmup operations. With UntilFull it may end sooner: when operations have read as much as
// the cache holds and as many again are made, when they hardly read any more, or when half of the time is over.
func (m *runState) warmUp(ctx context.Context) error {
	before, size, most := m.chain.db.Counts().Reads.Bytes.Sum(), m.Operations/m.windowsOf(), m.Warmup
	if !m.UntilFull {
		return m.make(ctx, most)
	}
	half := m.Until
	if !half.IsZero() {
		half = half.Add(-time.Until(half) / 2)
	}
	for full := -1; m.made < most; {
		made, reads := m.made, m.chain.db.Counts().Reads.Count.Sum()
		if err := m.make(ctx, min(m.made+size, most)); err != nil {
			return err
		}
		if float64(m.chain.db.Counts().Reads.Count.Sum()-reads) < fewReads*float64(m.made-made) {
			break
		}
		if full < 0 && m.chain.db.Counts().Reads.Bytes.Sum()-before >= m.chain.db.Cache().Bytes {
			full = m.made
		}
		if full > 0 && m.made >= 2*full || passes(half, 0) {
			break
		}
	}
	m.Warmup = m.made
	return nil
}

// passes reports whether it will be later than until in the given time. The zero Time never comes.
func passes(until time.Time, in time.Duration) bool {
	return !until.IsZero() && time.Now().Add(in).After(until)
}

func (c *Chain) gets() (sum int64) {
	for _, g := range c.reader.gets {
		sum += g.Count
	}
	return sum
}

func (m *runState) windows(ctx context.Context) error {
	n := m.windowsOf()
	reads, gets := m.before.Reads.Count.Sum(), int64(0)
	for i := range n {
		until := m.Warmup + (i+1)*m.Operations/n
		if _, err := m.Targets(until); err != nil { // drawing them is not part of the operations' time
			return err
		}
		start, made := time.Now(), m.made
		if err := m.make(ctx, until); err != nil {
			return err
		}
		m.took += time.Since(start)
		nowReads, nowGets := m.chain.db.Counts().Reads.Count.Sum(), m.chain.gets()
		m.perOp = append(m.perOp, steady.Window{Gets: int64(m.made - made), Reads: float64(nowReads - reads)})
		m.perGet = append(m.perGet, steady.Window{Gets: nowGets - gets, Reads: float64(nowReads - reads)})
		reads, gets = nowReads, nowGets
		if i > 0 && i < n-1 && passes(m.Until, time.Since(start)) {
			m.timeUp = true
			break
		}
	}
	m.Operations = m.made - m.Warmup
	m.kvGets += gets
	return nil
}

func (m *runState) record(s engine.Store) *record.Chain {
	c := m.chain
	counts := c.db.Counts().Sub(m.before)
	shape, cache := s.Shape(), c.db.Cache()
	r := &record.Chain{
		Schema: record.ChainSchema, Time: time.Now().UTC().Truncate(time.Second),
		Shape: shape.WithoutTables(), WALKeys: s.Info().WALKeys, Head: c.Head(), Operation: string(m.Operation),
		Cache: record.Cache{
			Bytes: cache.Bytes, Shards: cache.Shards, ReservedBytes: cache.Reserved, Phase: shape.Phase(cache.Bytes),
		},
		Workload:    record.ChainOperations{WarmupOperations: int64(m.Warmup), Operations: int64(m.Operations)},
		PerOp:       m.perOperation(counts),
		Categories:  map[string]record.ChainGets{},
		Components:  record.Components(counts.Reads, counts.Accesses),
		Reads:       judge.IOsPerGet(m.perOp),
		Device:      record.Device{PageCache: "cached"},
		Checks:      append(c.db.Check(counts), m.checkTrace(counts)),
		Environment: record.ThisMachine(),
	}
	// Steadiness is judged by reads per key looked up, with the rule for Gets.
	judge.Steadiness(&r.Reads, m.perGet, shape.MinWindowGets(), m.kvGets)
	if bytes := shape.Total().Bytes; bytes > 0 {
		r.Cache.FractionOfDB = float64(cache.Bytes) / float64(bytes)
	}
	if m.Operation.OfState() {
		r.State = &record.ChainState{Scheme: c.state.Scheme, Root: c.state.Root.Hex(), Read: "trie"}
		if m.Flat {
			r.State.Read = "flat"
		}
	}
	if records := r.WALKeys; records > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the %d newest records are only in the write-ahead log and were read from memory: let the client flush them first if they matter", records))
	}
	if m.timeUp {
		r.Warnings = append(r.Warnings, fmt.Sprintf("time for %s was up after %d operations: a longer --time gives a narrower interval", m.Operation, m.Operations))
	}
	for category, g := range c.reader.gets {
		r.Categories[string(category)] = record.ChainGets{
			Gets: m.per(g.Count), Found: m.per(g.Found), ValueBytes: m.per(g.Bytes), Reads: m.per(g.Reads), ReadBytes: m.per(g.ReadBytes),
		}
	}
	return r
}

func (m *runState) per(n int64) float64 { return float64(n) / float64(m.Operations) }

func (m *runState) perOperation(counts engine.Counts) record.ChainOperation {
	var blocks, misses int64
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		blocks += counts.Accesses.Count[c]
		misses += counts.Reads.Count[c]
	}
	frozen := m.chain.reader.frozen
	return record.ChainOperation{
		KVGets: m.per(m.chain.gets()), Tables: m.per(counts.TableCacheHits + counts.TableCacheMisses),
		Blocks: m.per(blocks), Misses: m.per(misses), HitRate: record.HitRate(blocks-misses, blocks),
		BytesRead:    m.per(counts.Reads.Bytes.Sum()),
		FreezerItems: m.per(frozen.Items), FreezerReads: m.per(frozen.Reads), FreezerBytes: m.per(frozen.Bytes),
		Microseconds: m.per(m.took.Nanoseconds()) / 1e3,
	}
}

// checkTrace compares the reads attributed to single Gets with all reads of tables.
func (m *runState) checkTrace(counts engine.Counts) readpath.Check {
	var traced int64
	for _, g := range m.chain.reader.gets {
		traced += g.Reads
	}
	all := counts.Reads.Count.Sum()
	return readpath.Check{
		Name: "reads_of_categories", OK: traced == all,
		Detail: fmt.Sprintf("%d reads were attributed to Gets of some category, %d reached the tables", traced, all),
	}
}

// SteadyOperations estimates how many such operations show whether a run is steady, up to a
// limit: the keys they look up must fill five windows.
func (c *Chain) SteadyOperations(s engine.Store, o Operation, like []Target, flat bool) (int64, error) {
	if err := c.requireFlat(flat); err != nil {
		return 0, err
	}
	before := c.gets()
	for i := range like {
		if err := c.do(o, &like[i], flat); err != nil {
			return 0, err
		}
	}
	const least, most, spare = 10_000, 200_000, 1.1
	perOperation := float64(c.gets()-before) / float64(len(like))
	needed := spare * steady.Windows * float64(s.Shape().MinWindowGets()) / max(perOperation, 0.01)
	return int64(min(max(needed, least), most)), nil
}
