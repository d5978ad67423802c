package cell

import (
	"fmt"
	"strings"
	"sync"

	"getio/record"
	"getio/system/filesystem"
	"getio/system/machine"
	"getio/system/subprocess"
)

// Getio identifies this getio: by its version and commit or, where a build has none or had changes that
// were not committed, by the SHA-256 of the executable, since nothing else tells two such builds apart.
var Getio = sync.OnceValues(func() (string, error) {
	version, commit := record.ThisMachine().Getio, strings.TrimSpace(machine.Commit())
	if id := strings.TrimSpace(version + " " + commit); id != "" && !strings.Contains(id, "+") {
		return id, nil
	}
	program, err := subprocess.Self()
	sum := ""
	if err == nil {
		sum, err = filesystem.SHA256(program)
	}
	if err != nil {
		return "", fmt.Errorf("this getio has no version, and its executable cannot be read (%w): build it in a clean clone", err)
	}
	return "executable " + sum, nil
})
