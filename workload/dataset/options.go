package dataset

import "sort"

// OptionOpenFiles is the option that limits open files. It describes the machine, not the dataset.
const OptionOpenFiles = "max_open_files"

// Overrides returns the options that the dataset was written with, except
// OptionOpenFiles, as sorted NAME=VALUE strings.
func (m *Manifest) Overrides() []string {
	overrides := make([]string, 0, len(m.Options))
	for name, value := range m.Options {
		if name != OptionOpenFiles {
			overrides = append(overrides, name+"="+value)
		}
	}
	sort.Strings(overrides)
	return overrides
}
