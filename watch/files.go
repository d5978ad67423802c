package watch

import (
	"regexp"

	"getio/client/chaindata"
	"getio/record"
	"getio/system/device"
)

// logFile matches the write-ahead logs of the libraries: 000123.log, of Pebble v2 also 000123-001.log.
var logFile = regexp.MustCompile(`^[0-9]{6,}(-[0-9]+)?\.log$`)

// kindOf says what a file is for that is no table.
func kindOf(name string) record.FileKind {
	switch {
	case chaindata.InFreezer(name):
		return record.FileFreezer
	case logFile.MatchString(name):
		return record.FileLog
	}
	return record.FileOther
}

// describeFiles returns the reads of other files than tables, in the order of record.FileKinds.
func (w *Watch) describeFiles() (all []*record.WatchedFiles) {
	for _, kind := range record.FileKinds() {
		if v := w.files[kind]; v != nil {
			all = append(all, &record.WatchedFiles{Kind: kind, WatchedReads: describeReads(v)})
		}
	}
	return all
}

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

// describeDevice returns nil if the kernel did not say what the process has read.
func (w *Watch) describeDevice() *record.WatchedDevice {
	a := w.device // of now, and not the end
	if w.ended == 0 {
		a.end(w.process)
	}
	if a.unknown {
		return nil
	}
	d := &record.WatchedDevice{ProcessBytes: a.earlier}
	for _, each := range w.databases {
		for _, t := range each.gets {
			d.TableBytes += t.device
		}
		for _, p := range each.causes {
			d.TableBytes += p.device
		}
	}
	for _, v := range w.files {
		d.FileBytes += v.device
	}
	return d
}
