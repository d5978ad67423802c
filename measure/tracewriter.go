package measure

import (
	"getio/engine"
	"getio/measure/keysource"
	"getio/workload/trace"
)

// writeTrace appends the next n operations, which must be prepared, to the trace.
func (r *run) writeTrace(n int64) error {
	if r.opts.Record == nil {
		return nil
	}
	o := r.opts.Operation
	op := trace.Operation{Kind: trace.Get, Keys: make([]trace.Key, o.keys())}
	switch o.Kind {
	case engine.OperationScan:
		op.Kind, op.Length = trace.Scan, o.Records
	case engine.OperationMultiget:
		op.Kind = trace.Multiget
	}
	for g := r.next; g < r.next+n; g++ {
		for i := range op.Keys {
			key, want := r.gets.Key(g*o.keys()+int64(i), op.Keys[i].Bytes)
			op.Keys[i] = trace.Key{Bytes: key, Presence: presence(want)}
		}
		if err := r.opts.Record.Write(&op); err != nil {
			return err
		}
	}
	return nil
}

// presence returns the presence of a key to record in a trace.
func presence(want keysource.Want) trace.Presence {
	switch {
	case want.Unknown:
		return trace.Open
	case want.Present:
		return trace.Present
	}
	return trace.Absent
}
