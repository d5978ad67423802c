package catalog

import "os"

// Starts reads keys at which data blocks of a table begin, in their order: about one for each so
// many bytes of the table.
func Starts[T Table](read func(Ref) (T, error), file uint64, path string, bytes int64) (starts [][]byte, err error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	t, err := read(Ref{File: file, Path: path, Size: fi.Size()})
	if err != nil {
		return nil, err
	}
	err = inIndex(t, func(f File, index *Index) error {
		blocks := index.Len()
		every := max(uint64(float64(blocks)*float64(bytes)/float64(fi.Size())), 1)
		for n := every; n < blocks; n += every {
			start, err := t.BlockStart(index, f, n)
			if err != nil {
				return err
			}
			starts = append(starts, start)
		}
		return nil
	})
	return starts, err
}
