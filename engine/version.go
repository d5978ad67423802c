package engine

import "runtime/debug"

// ModuleVersion returns the version of a module that is linked into this binary.
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
