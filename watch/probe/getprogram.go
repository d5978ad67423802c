package probe

import (
	"github.com/cilium/ebpf/asm"

	"getio/client/chaindata"
)

// Registers says where a function of Go receives its receiver and its key.
type Registers struct{ receiver, key, length int16 }

// The places of the first argument, and of a slice that is the second argument or follows four
// words of arguments.
var (
	KeyFirst       = Registers{receiver: regAX, key: regBX, length: regCX}
	KeyAfterTables = Registers{receiver: regAX, key: regR8, length: regR9}
)

// getProgram counts the calls of an entry by database and class of the key, and notes which Get
// each goroutine began last. Nothing takes that back: the stack of a read tells whether a Get
// made it. A flag that the Get's return resets would need probes on returns, which Go's stacks
// do not allow. While counting is off, it notes that the goroutine's last Get does not count.
func getProgram(m *maps, entry int, r Registers, classes []chaindata.KeyRule) *assembler {
	const word, counted, goroutine, state, slot, address = -8, -24, -32, -56, -64, -72
	a := &assembler{}
	a.load(asm.R6, asm.R1, r.receiver)
	a.load(asm.R7, asm.R1, r.length)
	a.load(asm.R3, asm.R1, r.key)
	a.load(asm.R9, asm.R1, regR14)
	a.store(asm.RFP, goroutine, asm.R9)
	a.store(asm.RFP, address, asm.R3)
	a.zero(asm.RFP, word, 8)
	if len(classes) > 0 {
		a.firstBytes(word)
	}
	a.element(m.counting, 0, slot, "end")
	a.load(asm.R1, asm.R0, 0)
	a.add(
		asm.JNE.Imm(asm.R1, 0, "counting"),
		asm.Mov.Imm(asm.R6, 0),
		asm.Mov.Imm(asm.R9, 0),
		asm.Ja.Label("note"),
	)
	a.label("counting")
	a.classify(classes)
	a.add(asm.LoadImm(asm.R1, int64(entry)<<32, asm.DWord), asm.Or.Reg(asm.R9, asm.R1))
	a.store(asm.RFP, counted, asm.R6)
	a.store(asm.RFP, counted+8, asm.R9)
	a.value(mapIs(m.counts), counted, word, 8, "full")
	a.increment()
	if m.keys != nil {
		a.deliverKey(m, goroutine, address, slot)
	}
	// The goroutine's last Get is {database, class, number}; database 0 does not count.
	a.label("note")
	a.value(mapIs(m.gets), goroutine, state, 24, "full")
	a.store(asm.R0, 0, asm.R6)
	a.store(asm.R0, 8, asm.R9)
	a.load(asm.R1, asm.R0, 16)
	a.add(asm.Add.Imm(asm.R1, 1))
	a.store(asm.R0, 16, asm.R1)
	a.add(asm.Ja.Label("end"))
	a.label("full")
	a.bump(m, untracked, slot)
	return a.end("end")
}

// firstBytes sets R8 to the first bytes of the key at R3, as a big-endian number; R7 is its length. It
// uses eight bytes of the stack, which are zero.
func (a *assembler) firstBytes(at int16) {
	a.add(
		asm.Mov.Reg(asm.R2, asm.R7),
		asm.JLE.Imm(asm.R2, 8, "length"),
		asm.Mov.Imm(asm.R2, 8),
		asm.JEq.Imm(asm.R2, 0, "read").WithSymbol("length"),
	)
	a.stackAddress(asm.R1, at)
	a.add(asm.FnProbeReadUser.Call())
	a.label("read")
	a.add(asm.LoadMem(asm.R8, asm.RFP, at, asm.DWord), asm.HostTo(asm.BE, asm.R8, asm.DWord))
}

// deliverKey writes the Get with its key to the ring of keys. The database is in R6, class and entry
// are in R9, the key's length is in R7. It uses R8.
func (a *assembler) deliverKey(m *maps, goroutine, address, slot int16) {
	a.add(asm.JGT.Imm(asm.R7, maxKey, "keyless"))
	a.reserve(m.keys, keyEventBytes, "keyless")
	a.add(asm.Mov.Reg(asm.R8, asm.R0), asm.FnKtimeGetNs.Call())
	a.store(asm.R8, keyAtBegan, asm.R0)
	a.copy(asm.R8, keyAtGoroutine, asm.RFP, goroutine)
	a.store(asm.R8, keyAtDB, asm.R6)
	a.store(asm.R8, keyAtClass, asm.R9)
	a.store(asm.R8, keyAtLength, asm.R7)
	a.add(
		asm.JEq.Imm(asm.R7, 0, "submit"),
		asm.Mov.Reg(asm.R1, asm.R8), asm.Add.Imm(asm.R1, keyAtBytes),
		asm.Mov.Reg(asm.R2, asm.R7),
		asm.LoadMem(asm.R3, asm.RFP, address, asm.DWord),
		asm.FnProbeReadUser.Call(),
		asm.JEq.Imm(asm.R0, 0, "submit"),
		asm.Mov.Reg(asm.R1, asm.R8),
		asm.Mov.Imm(asm.R2, noWakeup),
		asm.FnRingbufDiscard.Call(),
		asm.Ja.Label("keyless"),
		asm.Mov.Reg(asm.R1, asm.R8).WithSymbol("submit"),
		asm.Mov.Imm(asm.R2, noWakeup),
		asm.FnRingbufSubmit.Call(),
		asm.Ja.Label("delivered"),
	)
	a.label("keyless")
	a.bump(m, keyless, slot)
	a.label("delivered")
}

// classify sets R9 to the number of the first class that fits the key: its length in R7, its first
// bytes in R8. 0 is none.
func (a *assembler) classify(classes []chaindata.KeyRule) {
	for i, c := range classes {
		next := a.newLabel()
		if c.Least > 0 {
			a.add(asm.JLT.Imm(asm.R7, int32(c.Least), next))
		}
		a.add(
			asm.JGT.Imm(asm.R7, int32(c.Most), next),
			asm.LoadImm(asm.R1, int64(c.Mask), asm.DWord),
			asm.And.Reg(asm.R1, asm.R8),
			asm.LoadImm(asm.R2, int64(c.Value), asm.DWord),
			asm.JNE.Reg(asm.R1, asm.R2, next),
			asm.Mov.Imm(asm.R9, int32(i+1)),
			asm.Ja.Label("classified"),
		)
		a.label(next)
	}
	a.add(asm.Mov.Imm(asm.R9, 0))
	a.label("classified")
}
