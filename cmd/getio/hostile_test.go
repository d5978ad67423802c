package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mostMemory is what a command may take of memory, whatever it is given to read.
const mostMemory = 512 << 20

// peakEnv names the file to which the program writes, at its end, what the kernel says of its memory. The figure that a
// parent gets of a child that ended includes the parent's own memory.
const peakEnv = "GETIO_TEST_PEAK"

// hostileDir is a directory of files that begin with a text and have a size, mostly of nothing.
type hostileDir map[string]hostileFile

type hostileFile struct {
	text  string
	bytes int64 // 0: the text alone
	pipe  bool
}

func (d hostileDir) make(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, f := range d {
		path := filepath.Join(dir, name)
		if f.pipe {
			require.NoError(t, unix.Mkfifo(path, 0o600))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(f.text), 0o600))
		if f.bytes > 0 {
			require.NoError(t, os.Truncate(path, f.bytes))
		}
	}
	return dir
}

// TestHostileInputs: named pipes, huge files and small ones that unpack to huge ones are refused in one sentence, with
// little memory.
func TestHostileInputs(t *testing.T) {
	t.Parallel()
	const huge = 3 << 30
	levelDB := func(name string, f hostileFile) hostileDir {
		d := hostileDir{"CURRENT": {text: "MANIFEST-000004\n"}, "MANIFEST-000004": {}, "LOG": {}, "LOCK": {}, "000005.ldb": {}}
		d[name] = f
		return d
	}
	rocksDB := func(name string, f hostileFile) hostileDir {
		d := hostileDir{"CURRENT": {text: "MANIFEST-000004\n"}, "MANIFEST-000004": {}, "OPTIONS-000007": {text: "[Version]\n rocksdb_version=7.8.3\n"}, "IDENTITY": {}, "LOCK": {}}
		d[name] = f
		return d
	}
	pebble := func(name string, f hostileFile) hostileDir {
		d := hostileDir{"CURRENT": {text: "MANIFEST-000004\n"}, "MANIFEST-000004": {}, "OPTIONS-000007": {text: "[Version]\n pebble_version=0.1\n"}, "LOCK": {}}
		d[name] = f
		return d
	}
	objects := `{"schema":"getio.shape/1","levels":[` + strings.Repeat("{},", 10<<20) + "{}]}"
	rows := `{"schema":"getio.state/3","keys":1,"rows":[` + strings.Repeat("{},", 10<<20) + "{}]}\n"
	var bomb bytes.Buffer
	pack := gzip.NewWriter(&bomb)
	_, err := pack.Write([]byte("getio.trace/1\n"))
	require.NoError(t, err)
	for range 300 {
		_, err := pack.Write(bytes.Repeat([]byte("\n"), 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, pack.Close())
	for name, c := range map[string]struct {
		dir  hostileDir
		args string // DIR is the directory
	}{
		"dataset, pipe":        {hostileDir{"getio.json": {pipe: true}}, "inspect DIR"},
		"dataset, measured":    {hostileDir{"getio.json": {pipe: true}}, "measure DIR --cache 1MiB"},
		"dataset, diagnosed":   {hostileDir{"getio.json": {pipe: true}}, "doctor DIR"},
		"dataset, huge":        {hostileDir{"getio.json": {bytes: huge}}, "inspect DIR"},
		"CURRENT of LevelDB":   {levelDB("CURRENT", hostileFile{bytes: huge}), "inspect DIR"},
		"CURRENT of RocksDB":   {rocksDB("CURRENT", hostileFile{bytes: huge}), "inspect DIR"},
		"CURRENT of Pebble":    {pebble("CURRENT", hostileFile{bytes: huge}), "inspect DIR"},
		"pipe in LevelDB":      {levelDB("000006.ldb", hostileFile{pipe: true}), "inspect DIR"},
		"pipe in Pebble":       {pebble("000006.sst", hostileFile{pipe: true}), "inspect DIR"},
		"OPTIONS of RocksDB":   {rocksDB("OPTIONS-000007", hostileFile{text: "[Version]\n", bytes: 2 * huge}), "inspect DIR"},
		"OPTIONS of Pebble":    {pebble("OPTIONS-000007", hostileFile{text: "[Version]\n", bytes: 2 * huge}), "inspect DIR"},
		"MANIFEST of LevelDB":  {levelDB("MANIFEST-000004", hostileFile{bytes: huge}), "inspect DIR"},
		"MANIFEST of Pebble":   {pebble("MANIFEST-000004", hostileFile{bytes: huge}), "inspect DIR"},
		"records":              {hostileDir{"f": {text: "{", bytes: huge}}, "report DIR/f"},
		"many objects":         {hostileDir{"f": {text: rows}}, "report DIR/f"},
		"records of a gate":    {hostileDir{"f": {text: "{", bytes: huge}}, "gate --baseline DIR/f DIR/f"},
		"shape":                {hostileDir{"f": {text: "{", bytes: huge}}, "predict --shape DIR/f --cache IP1"},
		"shape of advice":      {hostileDir{"f": {text: "{", bytes: huge}}, "advise --shape DIR/f"},
		"shape, many objects":  {hostileDir{"f": {text: objects}}, "predict --shape DIR/f --cache IP1"},
		"shape, pipe":          {hostileDir{"f": {pipe: true}}, "predict --shape DIR/f --cache IP1"},
		"plan":                 {hostileDir{"f": {text: "{", bytes: huge}}, "run DIR/f --cell 0"},
		"genesis":              {hostileDir{"f": {text: "{", bytes: huge}}, "chain build DIR/chain --genesis DIR/f"},
		"trace of empty lines": {hostileDir{"f.gz": {text: bomb.String()}}, "curve DIR --trace DIR/f.gz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := c.dir.make(t)
			cmd := exec.Command("getio", strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))...)
			peak := filepath.Join(t.TempDir(), "peak")
			cmd.Env = append(os.Environ(), peakEnv+"="+peak)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			text := strings.TrimSpace(stderr.String())
			require.Error(t, err)
			assert.NotContains(t, text, "\n")
			assert.True(t, strings.HasPrefix(text, "getio: "), text)
			assert.NotContains(t, text, "see 'getio", "the command line was refused")
			status, err := os.ReadFile(peak)
			require.NoError(t, err)
			var kib int64
			_, line, _ := strings.Cut(string(status), "VmHWM:")
			_, err = fmt.Sscanf(line, "%d kB", &kib)
			require.NoError(t, err)
			assert.Positive(t, kib)
			assert.LessOrEqual(t, kib<<10, int64(mostMemory))
			t.Logf("%d MiB, %.1f s of a processor", kib>>10, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
		})
	}
}
