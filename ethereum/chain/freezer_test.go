package chain

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/golang/snappy"
	"golang.org/x/sys/unix"
)

// TestFreezerReadsLikeGoEthereum compares every item of every table, and items that do not
// exist.
func TestFreezerReadsLikeGoEthereum(t *testing.T) {
	dir := filepath.Join(copyOf(t, "frozen"), "ancient")
	own, err := openFreezer(dir, false)
	check(t, err)
	defer own.Close()
	theirs, err := rawdb.Open(rawdb.NewDatabase(memorydb.New()), rawdb.OpenOptions{Ancient: dir, ReadOnly: true})
	check(t, err)
	defer theirs.Close()
	for _, table := range []string{rawdb.ChainFreezerHashTable, rawdb.ChainFreezerHeaderTable, rawdb.ChainFreezerBodiesTable, rawdb.ChainFreezerReceiptTable} {
		for n := range uint64(252) {
			want, wantErr := theirs.Ancient(table, n)
			got, err := own.item(table, n)
			if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
				t.Fatalf("%s %d: %d bytes, error %v; go-ethereum has %d, error %v", table, n, len(got), err, len(want), wantErr)
			}
		}
	}
	if n, err := theirs.Ancients(); err != nil || n != own.blocks() || n != 250 {
		t.Errorf("%d blocks are frozen, go-ethereum has %d, error %v", own.blocks(), n, err)
	}
}

// TestItemsAcrossFiles reads items that start a file, from a table whose first items are
// removed or hidden.
func TestItemsAcrossFiles(t *testing.T) {
	const removed, tail, perFile = 10, 15, 7
	dir := filepath.Join(t.TempDir(), "chain")
	check(t, os.Mkdir(dir, 0o755))
	item := func(n int) []byte { return bytes.Repeat([]byte(fmt.Sprint(n)), n) }
	index := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, 3), removed)
	files := map[uint16][]byte{}
	for n := removed; n < 40; n++ {
		file := uint16(3 + (n-removed)/perFile)
		files[file] = append(files[file], snappy.Encode(nil, item(n))...)
		index = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(index, file), uint32(len(files[file])))
	}
	check(t, os.WriteFile(filepath.Join(dir, "bodies.cidx"), index, 0o644))
	check(t, os.WriteFile(filepath.Join(dir, "bodies.meta"), []byte{0xc3, 2, tail, 0x80, 0, 0, 0}, 0o644))
	for n, data := range files {
		check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("bodies.%04d.cdat", n)), data, 0o644))
	}
	f, err := openFreezer(filepath.Dir(dir), false)
	check(t, err)
	defer f.Close()
	for n := range 45 {
		got, err := f.item("bodies", uint64(n))
		if there := n >= tail && n < 40; there != (err == nil) || there && !bytes.Equal(got, item(n)) {
			t.Errorf("item %d: %q, error %v", n, got, err)
		}
	}
	if f.tail() != tail {
		t.Errorf("the tail is %d", f.tail())
	}
}

// TestAncientRanges checks go-ethereum's contract (ethdb.AncientReaderOp).
func TestAncientRanges(t *testing.T) {
	c, _ := open(t, "frozen", 1<<20)
	all, err := c.reader.AncientRange(rawdb.ChainFreezerHashTable, 245, 10, 0)
	check(t, err)
	if len(all) != 5 {
		t.Errorf("%d of the last 5 hashes", len(all))
	}
	few, err := c.reader.AncientRange(rawdb.ChainFreezerHashTable, 0, 10, 70)
	check(t, err)
	if len(few) != 2 {
		t.Errorf("%d hashes of 32 bytes in 70", len(few))
	}
	one, err := c.reader.AncientRange(rawdb.ChainFreezerHashTable, 0, 10, 1)
	check(t, err)
	if len(one) != 1 {
		t.Errorf("%d hashes in a byte", len(one))
	}
	if _, err := c.reader.AncientRange(rawdb.ChainFreezerHashTable, 250, 1, 0); err == nil {
		t.Error("items that are not there")
	}
	part, err := c.reader.AncientBytes(rawdb.ChainFreezerHashTable, 0, 4, 8)
	if err != nil || !bytes.Equal(part, few[0][4:12]) {
		t.Errorf("bytes %x, error %v", part, err)
	}
	for _, at := range [][2]uint64{{30, 3}, {33, 0}, {1, 1 << 63}} {
		if _, err := c.reader.AncientBytes(rawdb.ChainFreezerHashTable, 0, at[0], at[1]); err == nil {
			t.Errorf("bytes %v of 32 are there", at)
		}
	}
}

// TestFreezerInUse checks that a locked freezer is refused unless the caller expects it.
func TestFreezerInUse(t *testing.T) {
	dir := filepath.Join(copyOf(t, "frozen"), "ancient")
	client, err := os.OpenFile(filepath.Join(dir, "chain", "FLOCK"), os.O_RDWR|os.O_CREATE, 0o644)
	check(t, err)
	defer client.Close()
	check(t, unix.Flock(int(client.Fd()), unix.LOCK_EX))
	if _, err := openFreezer(dir, false); err == nil || !strings.Contains(err.Error(), "another process has it open") {
		t.Errorf("a freezer that is in use is opened, error %v", err)
	}
	f, err := openFreezer(dir, true)
	check(t, err)
	defer f.Close()
	if got := f.blocks(); got != 250 {
		t.Errorf("%d blocks are frozen, want 250", got)
	}
}
