package sstfile

import "getio/engine/region"

// Live returns the region maps of tables that come and go. A table's tail is read
// through a descriptor of its own.
func Live() *region.Live {
	opts := readerOptions()
	return region.NewLive(func(file uint64, path string) (m *region.Map, wrong, err error) {
		t, err := readTable(Ref{File: file, Path: path}, nil, opts)
		if err != nil {
			return nil, nil, err
		}
		return &t.regions, t.agree(), nil
	})
}
