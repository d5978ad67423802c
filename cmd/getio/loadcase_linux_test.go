package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"getio/engine"
	"getio/engine/engines"
	"getio/engine/rocksdb"
	"getio/ethereum/chainload"
	"getio/measure/database"
	"getio/system/filesystem"
	"getio/workload/dataset"
)

// loadCase is a load that tests disturb.
type loadCase struct {
	kind   string // natural, shaped, virtual or chain
	name   string
	begin  []string // the arguments; DIR stands for the directory
	resume []string
	// complete reports whether the directory says that it is complete.
	complete func(dir string) bool
	// whole returns an error if something is missing.
	whole func(dir string) error
}

// disturbedKeys is the number of keys of the loads that are disturbed.
const disturbedKeys = 4000

// loadCases returns the loads of all kinds and engines.
func loadCases(t *testing.T) (cases []*loadCase) {
	t.Helper()
	for _, e := range []string{"pebblev1", "pebblev2", "goleveldb", "rocksdb"} {
		if e == "rocksdb" && rocksdb.Missing {
			continue
		}
		c := datasetCase("natural", e, "--engine", e)
		for _, o := range smallTree(e) {
			c.begin = append(c.begin, "--option", o)
		}
		cases = append(cases, c)
	}
	for _, e := range []string{"pebblev1", "pebblev2"} {
		cases = append(cases, datasetCase("shaped", e, "--shaped", "--engine", e), datasetCase("virtual", e, "--virtual", "--engine", e))
	}
	for _, e := range []string{"pebblev1", "pebblev2", "goleveldb"} {
		cases = append(cases, chainCase(t, e))
	}
	return cases
}

func datasetCase(kind, e string, how ...string) *loadCase {
	begin := append([]string{"load", "DIR", "--keys", strconv.Itoa(disturbedKeys), "--workers", "1"}, how...)
	return &loadCase{
		kind: kind, name: kind + " " + e, begin: begin, resume: []string{"load", "DIR", "--resume"},
		complete: func(dir string) bool {
			m, err := dataset.Read(dir)
			return err == nil && m.Complete
		},
		whole: func(dir string) error { return checkWhole(dir, disturbedKeys) },
	}
}

// chainCase is a chain. It is begun again, rather than resumed, and then has the same contents.
func chainCase(t *testing.T, e string) *loadCase {
	t.Helper()
	begin := []string{"chain", "build", "DIR", "--engine", e, "--accounts", "60", "--blocks", "12", "--txs", "2", "--age", "4", "--freezer", "5", "--flat"}
	undisturbed, err := sharedRun("disturbed-chain-"+e, begin)
	require.NoError(t, err)
	want, err := chainSum(undisturbed)
	require.NoError(t, err)
	return &loadCase{
		kind: "chain", name: "chain " + e, begin: begin, resume: begin,
		complete: func(dir string) bool {
			made, err := chainload.ReadMade(dir)
			return err == nil && made != nil
		},
		whole: func(dir string) error {
			if got, err := chainSum(dir); err != nil || got != want {
				return fmt.Errorf("%s has other contents than an undisturbed chain (%v)", dir, err)
			}
			return nil
		},
	}
}

// sharedRun returns a directory that a command has made, DIR in its arguments.
func sharedRun(name string, command []string) (string, error) {
	return sharedDir(name, func(dir string) error {
		_, errOut, err := runOn(dir, command)
		if err != nil {
			err = fmt.Errorf("%w: %s", err, errOut)
		}
		return err
	})
}

// chainSum hashes the keys and values of a chain, and the files of its freezer.
func chainSum(dir string) (sum [sha256.Size]byte, err error) {
	store := chainload.StoreDir(dir)
	d, err := database.Open(context.Background(), engines.All(), store, database.OpenOptions{})
	if err != nil {
		return sum, err
	}
	defer d.Close()
	db, err := d.Store.Open(engine.OpenConfig{CacheBytes: 8 << 20})
	if err != nil {
		return sum, err
	}
	defer db.Close()
	ordered, err := engine.AsOrdered(db, d.Store.Info())
	if err != nil {
		return sum, err
	}
	h := sha256.New()
	if err := ordered.Scan(nil, nil, func(key, value []byte) error {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(key))))
		h.Write(key)
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(len(value))))
		h.Write(value)
		return nil
	}); err != nil {
		return sum, err
	}
	err = filepath.WalkDir(filepath.Join(store, "ancient"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !slices.Contains([]string{".cdat", ".rdat", ".cidx", ".ridx"}, filepath.Ext(path)) {
			return err
		}
		sum, err := filesystem.SHA256(path)
		fmt.Fprintf(h, "%s %s\n", d.Name(), sum)
		return err
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}

// recovery is what becomes of a directory in which a load ended early.
type recovery int

const (
	kept       recovery = iota // it says that it is complete, and is whole
	resumed                    // the load was resumed, and is whole
	begunAgain                 // nothing could be resumed; a new load there is whole
	turnedAway                 // refused, with one sentence
	short                      // something that says that it is complete is not whole
	babbled                    // refused, but not with one sentence
	broke                      // crashed
	stuck
	recoveries
)

func (r recovery) String() string {
	return [recoveries]string{"complete", "resumed", "begun again", "refused", "SHORT", "UNTIDY", "CRASHED", "HUNG"}[r]
}

func (r recovery) bad() bool { return r >= short }

// recover resumes the load in dir.
func (c *loadCase) recover(dir string) (r recovery, detail string) {
	if c.complete(dir) {
		return c.ifWhole(dir, kept, "")
	}
	r, detail = c.run(dir, c.resume, resumed)
	if r != turnedAway || c.kind == "chain" {
		return r, detail
	}
	if _, err := os.Stat(filepath.Join(dir, dataset.ManifestName)); errors.Is(err, fs.ErrNotExist) {
		return c.run(dir, c.begin, begunAgain)
	}
	return r, detail
}

// run runs a command. It is as good as said if the command succeeds and the result is whole.
func (c *loadCase) run(dir string, args []string, good recovery) (r recovery, detail string) {
	out, errOut, err := runOn(dir, args)
	var exit *exec.ExitError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return stuck, out + errOut
	case err == nil && !c.complete(dir):
		return short, "it succeeded, and the directory does not say so\n" + out + errOut
	case err == nil:
		return c.ifWhole(dir, good, out+errOut)
	case !errors.As(err, &exit), exit.ExitCode() < 0, goTrace(errOut):
		return broke, errOut
	case c.complete(dir):
		return short, "it failed, and the directory says that it is complete\n" + errOut
	}
	if err := checkSentence("", errOut); err != nil || out != "" {
		return babbled, out + errOut
	}
	return turnedAway, errOut
}

func (c *loadCase) ifWhole(dir string, good recovery, printed string) (recovery, string) {
	if err := c.whole(dir); err != nil {
		return short, err.Error() + "\n" + printed
	}
	return good, printed
}
