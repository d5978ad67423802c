// Command notices prints the licences of what a binary of getio consists of, which a package must
// contain: those of Go and of all modules that are linked in, from the module cache.
//
//	notices BINARY
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: notices BINARY")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, binary string) error {
	parts, err := partsOf(binary)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "getio is licensed under the Apache License, version 2.0. The program also contains code of\n"+
		"%d other projects, under the licences below.\n", len(parts))
	n := notices{w: w, first: map[string]string{}}
	for _, p := range parts {
		err = errors.Join(err, n.write(p))
	}
	return err
}

// goCommand is the go that builds the program.
func goCommand() string { return cmp.Or(os.Getenv("GO"), "go") }

// part is a project whose code is in the binary.
type part struct {
	name, dir string
	skip      string // a directory below that is not in the binary, or ""
}

// partsOf lists Go and the modules of a binary.
func partsOf(binary string) ([]part, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("cannot read what %s consists of (%w): name a program that Go built", binary, err)
	}
	goroot, err := exec.Command(goCommand(), "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("cannot run go (%w): add it to PATH, or name it in GO", err)
	}
	dir := strings.TrimSpace(string(goroot))
	parts := []part{{"Go " + strings.TrimPrefix(info.GoVersion, "go"), dir, filepath.Join(dir, "src/cmd")}}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		dir, err := moduleDir(module.Path, module.Version)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{name: module.Path + " " + module.Version, dir: dir})
	}
	return parts, nil
}

// moduleDir is where the module cache has a module.
func moduleDir(path, version string) (string, error) {
	out, err := exec.Command(goCommand(), "mod", "download", "-json", path+"@"+version).Output()
	if err != nil {
		return "", fmt.Errorf("cannot find the module %s %s (%w): run 'go mod download'", path, version, err)
	}
	var module struct{ Dir string }
	return module.Dir, json.Unmarshal(out, &module)
}

type notices struct {
	w     io.Writer
	first map[string]string // text -> where it stands
}

// licence matches the names of files with licences and notices.
var licence = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents)([-._].*)?$`)

// code matches the names of files that only begin like one.
var code = regexp.MustCompile(`(?i)\.(go|c|cc|h|py|sh|js|html|tmpl|json|ya?ml)$`)

// write writes all texts of a project. A module may contain code of others, with licences of their own.
func (n *notices) write(p part) error {
	found := false
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || path == p.skip):
			return fs.SkipDir
		case d.IsDir() || !licence.MatchString(d.Name()) || code.MatchString(d.Name()):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found = true
		return n.print(p.name+": "+strings.TrimPrefix(path, p.dir+"/"), string(text))
	})
	if err != nil || found {
		return err
	}
	return n.writeHeader(p)
}

// header is a comment at the head of a file that names who holds the copyright.
var header = regexp.MustCompile(`(?s)\A((?://[^\n]*\n)*//[^\n]*Copyright[^\n]*\n(?://[^\n]*\n)*)`)

// writeHeader writes the comment at the head of the first file that has one, for a project without a
// file for its licence.
func (n *notices) writeHeader(p part) error {
	files, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if comment := header.FindString(string(text)); comment != "" {
			return n.print(p.name+": "+filepath.Base(path), comment)
		}
	}
	return fmt.Errorf("%s has no file with a licence in %s: look for it, and add its name to cmd/packaging/notices", p.name, p.dir)
}

func (n *notices) print(where, text string) error {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if same, ok := n.first[text]; ok {
		text = "The same text as that of " + same
	} else {
		n.first[text] = where
	}
	_, err := fmt.Fprintf(n.w, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 72), where, text)
	return err
}
