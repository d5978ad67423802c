package ldbfile

import (
	"os"

	"getio/engine/region"
)

// Live returns the region maps of tables that come and go. A table's tail is read
// through a descriptor of its own.
func Live() *region.Live {
	return region.NewLive(func(file uint64, path string) (m *region.Map, wrong, err error) {
		fi, err := os.Stat(path)
		if err != nil {
			return nil, nil, err
		}
		t, err := readTable(Ref{File: file, Path: path, Size: fi.Size()})
		if err != nil {
			return nil, nil, err
		}
		return &t.regions, t.verify(), nil
	})
}
