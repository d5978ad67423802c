package probe

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
)

// Class is a class of keys: those whose length and first eight bytes, as a big-endian number, fit.
// Shorter keys have zeros behind them.
type Class struct {
	Value, Mask uint64
	Least, Most int // of the length in bytes
}

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
func getProgram(m *maps, entry int, r Registers, classes []Class) *assembler {
	const word, counted, goroutine, state, slot, address = -8, -24, -32, -56, -64, -72
	a := &assembler{}
	a.add(
		asm.LoadMem(asm.R6, asm.R1, r.receiver, asm.DWord),
		asm.LoadMem(asm.R7, asm.R1, r.length, asm.DWord),
		asm.LoadMem(asm.R3, asm.R1, r.key, asm.DWord),
		asm.LoadMem(asm.R9, asm.R1, regR14, asm.DWord),
		asm.StoreMem(asm.RFP, goroutine, asm.R9, asm.DWord),
		asm.StoreMem(asm.RFP, address, asm.R3, asm.DWord),
	)
	a.zero(asm.RFP, word)
	if len(classes) > 0 {
		a.firstBytes(word)
	}
	a.add(asm.StoreImm(asm.RFP, slot, 0, asm.Word))
	a.lookup(m.counting, slot)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "end"),
		asm.LoadMem(asm.R1, asm.R0, 0, asm.DWord),
		asm.JNE.Imm(asm.R1, 0, "counting"),
		asm.Mov.Imm(asm.R6, 0),
		asm.Mov.Imm(asm.R9, 0),
		asm.Ja.Label("note"),
	)
	a.label("counting")
	a.classify(classes)
	a.add(
		asm.LoadImm(asm.R1, int64(entry)<<32, asm.DWord),
		asm.Or.Reg(asm.R9, asm.R1),
		asm.StoreMem(asm.RFP, counted, asm.R6, asm.DWord),
		asm.StoreMem(asm.RFP, counted+8, asm.R9, asm.DWord),
	)
	a.countGet(m, counted, word)
	if m.keys != nil {
		a.deliverKey(m, goroutine, address, slot)
	}
	// The goroutine's last Get is {database, class, number}; database 0 does not count.
	a.label("note")
	a.lookup(m.gets, goroutine)
	a.add(
		asm.JEq.Imm(asm.R0, 0, "first"),
		asm.StoreMem(asm.R0, 0, asm.R6, asm.DWord),
		asm.StoreMem(asm.R0, 8, asm.R9, asm.DWord),
		asm.LoadMem(asm.R1, asm.R0, 16, asm.DWord),
		asm.Add.Imm(asm.R1, 1),
		asm.StoreMem(asm.R0, 16, asm.R1, asm.DWord),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	)
	a.label("first")
	a.add(
		asm.StoreMem(asm.RFP, state, asm.R6, asm.DWord),
		asm.StoreMem(asm.RFP, state+8, asm.R9, asm.DWord),
		asm.Mov.Imm(asm.R1, 1),
		asm.StoreMem(asm.RFP, state+16, asm.R1, asm.DWord),
	)
	a.update(m.gets, goroutine, state, ebpf.UpdateAny)
	a.add(asm.JEq.Imm(asm.R0, 0, "end"))
	a.label("full")
	a.bump(m.counters, untracked, slot)
	a.label("end")
	a.add(asm.Return())
	return a
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
	a.stackAddress(asm.R1, int32(at))
	a.add(asm.FnProbeReadUser.Call())
	a.label("read")
	a.add(asm.LoadMem(asm.R8, asm.RFP, at, asm.DWord), asm.HostTo(asm.BE, asm.R8, asm.DWord))
}

// countGet adds one to the Gets of the key on the stack. Its zero is the value of a new key.
func (a *assembler) countGet(m *maps, key, zero int32) {
	a.lookup(m.counts, key)
	a.add(asm.JNE.Imm(asm.R0, 0, "known"))
	a.zero(asm.RFP, int16(zero))
	a.update(m.counts, key, zero, ebpf.UpdateNoExist)
	a.lookup(m.counts, key)
	a.add(asm.JEq.Imm(asm.R0, 0, "full"))
	a.add(asm.Mov.Imm(asm.R1, 1).WithSymbol("known"), asm.StoreXAdd(asm.R0, asm.R1, asm.DWord))
}

// deliverKey writes the Get with its key to the ring of keys. The database is in R6, class and entry
// are in R9, the key's length is in R7. It uses R8.
func (a *assembler) deliverKey(m *maps, goroutine, address, slot int16) {
	a.add(
		asm.JGT.Imm(asm.R7, maxKey, "keyless"),
		asm.LoadMapPtr(asm.R1, m.keys.FD()),
		asm.Mov.Imm(asm.R2, keyEventBytes),
		asm.Mov.Imm(asm.R3, 0),
		asm.FnRingbufReserve.Call(),
		asm.JEq.Imm(asm.R0, 0, "keyless"),
		asm.Mov.Reg(asm.R8, asm.R0),
		asm.FnKtimeGetNs.Call(),
		asm.StoreMem(asm.R8, keyAtBegan, asm.R0, asm.DWord),
		asm.LoadMem(asm.R1, asm.RFP, goroutine, asm.DWord),
		asm.StoreMem(asm.R8, keyAtGoroutine, asm.R1, asm.DWord),
		asm.StoreMem(asm.R8, keyAtDB, asm.R6, asm.DWord),
		asm.StoreMem(asm.R8, keyAtClass, asm.R9, asm.DWord),
		asm.StoreMem(asm.R8, keyAtLength, asm.R7, asm.DWord),
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
	a.bump(m.counters, keyless, int32(slot))
	a.label("delivered")
}

// classify sets R9 to the number of the first class that fits the key: its length in R7, its first
// bytes in R8. 0 is none.
func (a *assembler) classify(classes []Class) {
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
