package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/record"
)

func scriptResults(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: results")
	}
	for _, path := range []string{"results/small.jsonl", "results/medium.jsonl", "results/large.jsonl", "results/states.jsonl", "results/states-growth.jsonl", "report/chart/testdata/predicted.jsonl", "report/chart/testdata/client.jsonl", "report/chart/testdata/compared.jsonl"} {
		data, err := os.ReadFile(filepath.Join(repository, path))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(filepath.Base(path)), data, 0o644))
	}
}

// repository is where the tests find the module's files, wherever scripts run.
var repository = func() string {
	dir, err := filepath.Abs("../..")
	if err != nil {
		panic(err)
	}
	return dir
}()

func scriptPicture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: picture FILE FORMAT")
	}
	content := ts.ReadFile(args[0])
	var err error
	switch args[1] {
	case "png":
		_, err = png.Decode(strings.NewReader(content))
	case "pdf":
		if !strings.HasPrefix(content, "%PDF-") || !strings.HasSuffix(content, "%%EOF\n") {
			err = errors.New("it has no header or no end")
		}
	case "svg":
		d := xml.NewDecoder(strings.NewReader(content))
		for err == nil {
			_, err = d.Token()
		}
		if errors.Is(err, io.EOF) && strings.HasSuffix(content, "</svg>\n") {
			err = nil
		}
	}
	if err != nil {
		ts.Fatalf("%s is no %s picture: %v", args[0], args[1], err)
	}
}

// TestReportOfManyRecords: two hundred of them make every format.
func TestReportOfManyRecords(t *testing.T) {
	var r record.Set
	require.NoError(t, r.ReadFile(filepath.Join(repository, "results/small.jsonl")))
	var lines bytes.Buffer
	for n := range 200 {
		result := *r.Results[n%len(r.Results)]
		result.Cache.Bytes += int64(n) << 20
		require.NoError(t, record.WriteLine(&lines, &result))
	}
	dir := t.TempDir()
	many := filepath.Join(dir, "many.jsonl")
	require.NoError(t, os.WriteFile(many, lines.Bytes(), 0o644))
	for _, args := range [][]string{{"-o", "r.md"}, {"-o", "r.svg"}, {"-o", "w.png", "--chart", "windows"}, {"-o", "r.csv"}, {"-o", "r.bench"}} {
		args[1] = filepath.Join(dir, args[1])
		root := rootCommand()
		root.SetArgs(append([]string{"report", many}, args...))
		root.SetOut(io.Discard)
		assert.NoError(t, root.Execute(), args)
		if fi, err := os.Stat(args[1]); err != nil || fi.Size() < 10_000 {
			t.Errorf("%v: %v, %v", args, fi, err)
		}
	}
}

// TestPicturesOfDocumentsAreCurrent: they are what report draws of the committed
// results ('make pictures').
func TestPicturesOfDocumentsAreCurrent(t *testing.T) {
	reproductions := []string{"../../results/small.jsonl", "../../results/medium.jsonl", "../../results/large.jsonl"}
	for name, args := range map[string][]string{
		"ios.svg":        append([]string{"--share"}, reproductions...),
		"keys.svg":       append([]string{"--chart", "keys"}, reproductions...),
		"stores.svg":     {"../../results/states.jsonl", "../../results/states-elsewhere.jsonl", "--chart", "stores"},
		"operations.svg": {"../../results/chain-1m.jsonl", "--share"},
		"cliff.svg":      {"../../results/l0-leveldb.jsonl", "--chart", "l0"},
	} {
		path := filepath.Join(t.TempDir(), name)
		c := reportCommand()
		c.SetOut(io.Discard)
		c.SetArgs(append(args, "-o", path))
		require.NoError(t, c.Execute())
		drawn, err := os.ReadFile(path)
		require.NoError(t, err)
		kept, err := os.ReadFile(filepath.Join("../../docs/pictures", name))
		require.NoError(t, err)
		assert.Equal(t, kept, drawn, "docs/pictures/%s is not what report draws now: run 'make pictures'", name)
	}
}
