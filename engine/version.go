package engine

import "runtime/debug"

// ModuleVersion is the version of a library as linked into this binary.
func ModuleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path != path {
			continue
		}
		if m.Replace != nil {
			return m.Version + " (replaced)"
		}
		return m.Version
	}
	return "unknown"
}
