package dataset

import "sort"

// OptionOpenFiles is the option for how many files may be open: a property of the machine,
// not of the dataset.
const OptionOpenFiles = "max_open_files"

// Overrides are the options that the dataset was written with, as NAME=VALUE, sorted.
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
