// Package rocksdb is RocksDB alone, in a program of its own.
package rocksdb

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os/exec"
	"strconv"

	"getio/internal/truth"
	"getio/internal/truth/truthtest"
)

// Library is RocksDB.
var Library = truth.Library{Name: "rocksdb", Write: write, Open: open}

func write(dir string, t truth.Tree) error {
	p, err := start("write", dir)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(p.in, 1<<20)
	for op := range t.Operations {
		w.WriteByte(byte(op.Kind))
		for _, part := range [][]byte{op.Key, op.Value} {
			w.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(part))))
			w.Write(part)
		}
	}
	return errors.Join(w.Flush(), p.Close())
}

// program is a running program.
type program struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	stderr  bytes.Buffer
	entries []truth.Entry
}

func start(args ...string) (*program, error) {
	command, err := truthtest.Trees(args...)
	if err != nil {
		return nil, err
	}
	p := &program{command: command}
	command.Stderr = &p.stderr
	if p.in, err = command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, command.Start()
}

// Close waits for the program, whose input ends.
func (p *program) Close() error {
	p.in.Close()
	if err := p.command.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, &p.stderr)
	}
	return nil
}

func open(dir string, c truth.Cache) (truth.Reader, error) {
	if bits.OnesCount(uint(c.Shards)) != 1 {
		return nil, fmt.Errorf("%d shards: RocksDB makes a power of two", c.Shards)
	}
	p, err := start("read", dir, strconv.FormatInt(c.Bytes, 10), strconv.Itoa(bits.TrailingZeros(uint(c.Shards))))
	if err != nil {
		return nil, err
	}
	if p.entries, err = p.list(); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// list returns all keys.
func (p *program) list() (entries []truth.Entry, err error) {
	if _, err := fmt.Fprintln(p.in, "entries"); err != nil {
		return nil, err
	}
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil || len(line) == 1 {
			return entries, err
		}
		key, size, _ := bytes.Cut(line[:len(line)-1], []byte(" "))
		e := truth.Entry{Key: make([]byte, hex.DecodedLen(len(key)))}
		if _, err := hex.Decode(e.Key, key); err != nil {
			return nil, err
		}
		if e.ValueBytes, err = strconv.ParseInt(string(size), 10, 64); err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
}

func (p *program) Entries() ([]truth.Entry, error) { return p.entries, nil }

func (p *program) Gets(n int64, workers int, seed uint64) (r truth.Reads, err error) {
	if _, err := fmt.Fprintf(p.in, "gets %d %d %d\n", n, workers, seed); err != nil {
		return r, err
	}
	_, err = fmt.Fscanln(p.out, &r.Count, &r.Bytes)
	return r, err
}
