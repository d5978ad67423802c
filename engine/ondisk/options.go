package ondisk

import (
	"fmt"
	"strings"

	"getio/system/filesystem"
)

// maxOptions is more than an options file of a thousand column families takes.
const maxOptions = 32 << 20

// Options reads an OPTIONS file, an INI file that Pebble and RocksDB write at each read-write open.
// Keys are "Section.key", such as `Options.comparer` and `Level "0".block_size`.
func Options(path string) (map[string]string, error) {
	text, err := filesystem.ReadRegular(path, maxOptions)
	if err != nil {
		return nil, fmt.Errorf("cannot read the options file %s: %w", path, err)
	}
	options := map[string]string{}
	section := ""
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok {
			options[section+"."+strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return options, nil
}
