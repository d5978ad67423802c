package report

import (
	"fmt"
	"io"
	"time"

	"getio/numbers/units"
	"getio/record"
)

// ChainMade writes what the chain that getio made in dir holds, and how fast it was made.
func ChainMade(w io.Writer, dir string, m *record.ChainMade) error {
	var p printer
	plan := m.Plan
	p.field("Made", dir)
	p.field("Engine", m.Engine)
	p.field("State", fmt.Sprintf("%s accounts, %s of them contracts with %g slots on average; %s scheme%s; root %s",
		units.Comma(int64(plan.Accounts+plan.Allocated)), units.Percent(plan.Contracts), plan.Slots, plan.Scheme, flatText(plan), m.Root))
	p.field("Chain", fmt.Sprintf("%s after genesis, %s each; %s in the freezer; the newest %s changed the state",
		units.Plural(int64(plan.Blocks), "block"), units.Plural(int64(plan.Txs), "transaction"), units.Comma(int64(plan.Frozen)), units.Comma(int64(plan.Aged))))
	p.field("Size", fmt.Sprintf("%s on disk, made in %s", units.Size(m.Bytes), time.Duration(m.Seconds*float64(time.Second)).Round(time.Second)))
	p.field("Speed", fmt.Sprintf("%s accounts and %s blocks per second of processor time", rateText(m.State), rateText(m.Chain)))
	return p.writeTo(w)
}

func flatText(p record.ChainPlan) string {
	text := ""
	if p.Flat {
		text = ", and flat"
	}
	if p.Archive {
		text += ", all states kept"
	}
	return text
}

func rateText(c record.Cost) string {
	if c.CPUSeconds <= 0 {
		return units.Absent
	}
	return units.ThreeDigits(float64(c.Things) / c.CPUSeconds)
}
