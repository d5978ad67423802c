package measure

import (
	"getio/measure/keysource"
	"getio/workload"
	"getio/workload/trace"
)

// writeTrace appends the next n operations, which must be prepared, to the trace.
func (r *run) writeTrace(n int64) error {
	if r.plan.Record == nil {
		return nil
	}
	o := r.plan.Operation
	op := trace.Operation{Kind: workload.Get, Keys: make([]trace.Key, o.EachKeys())}
	switch o.Kind {
	case workload.Scan:
		op.Kind, op.Length = workload.Scan, o.Records
	case workload.Multiget:
		op.Kind = workload.Multiget
	}
	for g := r.next; g < r.next+n; g++ {
		for i := range op.Keys {
			key, want := r.gets.Key(g*o.EachKeys()+int64(i), op.Keys[i].Bytes)
			op.Keys[i] = trace.Key{Bytes: key, Presence: presence(want)}
		}
		if err := r.plan.Record.Write(&op); err != nil {
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
