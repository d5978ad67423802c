package advice

import (
	"getio/client/geth"
	"getio/measure/database"
	"getio/predict/scenario"
	"getio/record"
)

// DescribeScenario describes a scenario's tree. The model of a mainnet node's database is geth's, with
// its default cache.
func (q *Question) DescribeScenario(s *scenario.Scenario) {
	q.Subject, q.Layout, q.Shards = s.Subject, s.Format, s.Shards
	q.Client = &database.Client{Floor: 2 * s.Reserved, Reserved: s.Reserved}
	if s.Mainnet {
		store := geth.StoreOf(q.Library)
		q.Present = q.Reserved + store.BlockBytes(geth.DefaultStore)
		q.Client.Store, q.Client.StoreBytes, q.Client.Present = &store, geth.DefaultStore, q.Present
	}
}

// gethMachine describes geth's rules; nil unless it reads the database on a machine that is known.
func (q *Question) gethMachine() *record.GethMachine {
	if q.Client.Store == nil || q.MachineSize == 0 {
		return nil
	}
	return &record.GethMachine{
		Version: geth.Version, MemoryBytes: q.MachineSize, MostCacheMiB: geth.MostCacheMiB(q.MachineSize), MemtableShare: q.Client.Store.Share,
	}
}
