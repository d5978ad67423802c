package watch

import "getio/system/device"

// deviceAccount is what the kernel says a process has read from devices while reads were counted.
type deviceAccount struct {
	earlier, began int64
	unknown        bool
}

// begin and end enclose a time in which reads are counted.
func (a *deviceAccount) begin(p *process) { a.began = a.now(p) }

func (a *deviceAccount) end(p *process) {
	a.earlier += a.now(p) - a.began
	a.began = 0
}

func (a *deviceAccount) now(p *process) int64 {
	n, err := device.ReadBytesOf(p.pid)
	a.unknown = a.unknown || err != nil
	return n
}
