package watch

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"getio/client/chaindata"
	"getio/record"
)

// logFile matches the write-ahead logs of the libraries: 000123.log, of Pebble v2 also 000123-001.log.
var logFile = regexp.MustCompile(`^[0-9]{6,}(-[0-9]+)?\.log$`)

// kindOf says what a file is for that is no table.
func kindOf(name string) record.FileKind {
	switch {
	case chaindata.InFreezer(name):
		return record.FileFreezer
	case logFile.MatchString(name):
		return record.FileLog
	}
	return record.FileOther
}

func isTable(name string) bool {
	_, ok := tableNumber(name)
	return ok
}

// tableNumber returns the number of a table file, such as 000123.sst.
func tableNumber(name string) (number uint64, ok bool) {
	ext := filepath.Ext(name)
	if ext != ".sst" && ext != ".ldb" {
		return 0, false
	}
	number, err := strconv.ParseUint(strings.TrimSuffix(name, ext), 10, 64)
	return number, err == nil
}
