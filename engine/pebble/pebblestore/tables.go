package pebblestore

import (
	"io"

	"getio/engine/pebble/pebbledb"
	"getio/engine/pebble/sstfile"
	"getio/engine/region"
	"getio/engine/virtual"
	"getio/system/device"
)

// Tables counts the reads of table files. Info is the library's os.FileInfo.
type Tables[Info any] struct {
	Counter *region.Counter
	Regions func(file uint64, path string) (*region.Map, error)
	Device  *device.Layer
	Virtual *virtual.Tables // nil: tables are real
	// VirtualFile is the library's file of a virtual table.
	VirtualFile func(virtual.File) pebbledb.File[Info]
}

// Open opens a file for reading. If it is a table, its reads are counted, unless t is nil.
// open opens a file that is not virtual.
func (t *Tables[Info]) Open(name string, open func() (pebbledb.File[Info], error)) (pebbledb.File[Info], error) {
	number, isTable := sstfile.FileNumber(name)
	if t == nil || !isTable {
		return open()
	}
	regions, err := t.Regions(number, name)
	if err != nil {
		return nil, err
	}
	if t.Virtual != nil {
		open = func() (pebbledb.File[Info], error) {
			table, err := t.Virtual.Table(name, number)
			return t.VirtualFile(virtual.File{Table: table}), err
		}
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	reader, err := t.Device.Reader(f, name)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &countedFile[Info]{File: f, reader: reader, device: t.Device, count: t.Counter.Table(number, regions)}, nil
}

// countedFile counts the reads of one table.
type countedFile[Info any] struct {
	pebbledb.File[Info]
	reader io.ReaderAt
	device *device.Layer
	count  region.TableCounter
}

// Prefetch is what iterators use to have the kernel read ahead into the page cache. That
// is pointless for reads that bypass the page cache.
func (f *countedFile[_]) Prefetch(off, length int64) error {
	if f.device.PageCache() == device.Bypass {
		return nil
	}
	return f.File.Prefetch(off, length)
}

func (f *countedFile[_]) ReadAt(p []byte, off int64) (int, error) {
	component := f.count.Count(off, len(p))
	n, err := f.reader.ReadAt(p, off)
	f.count.Trace(component, p[:n], off, 0)
	return n, err
}
