package machine

import (
	"fmt"
	"runtime/debug"
)

// Version returns the version of this program as the build recorded it, else "(devel)".
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Commit returns the commit that this program was built from and its time, in parentheses; + marks
// changes that were not committed. It is empty where the build did not record it.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	vcs := map[string]string{}
	for _, s := range info.Settings {
		vcs[s.Key] = s.Value
	}
	if vcs["vcs.revision"] == "" {
		return ""
	}
	dirty := ""
	if vcs["vcs.modified"] == "true" {
		dirty = "+"
	}
	return fmt.Sprintf(" (commit %.12s%s, %s)", vcs["vcs.revision"], dirty, vcs["vcs.time"])
}
