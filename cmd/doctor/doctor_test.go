package doctor

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/syndtr/goleveldb/leveldb"

	"getio/engine"
	"getio/engine/engines"
	"getio/measure/database"
	"getio/record"
	"getio/workload/dataset"
)

// newDatabase makes a LevelDB database with one table, closed.
func newDatabase(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := leveldb.OpenFile(dir, nil)
	require.NoError(t, err)
	require.NoError(t, db.Put([]byte("key"), make([]byte, 100_000), nil))
	// A compaction would do too, but goleveldb removes its input after it has returned.
	flush, err := db.OpenTransaction()
	require.NoError(t, err)
	flush.Discard()
	require.NoError(t, db.Close())
	return dir
}

func examine(t *testing.T, dir string) *record.Diagnosis {
	d, err := Examine(t.Context(), engines.All(), dir)
	require.NoError(t, err)
	return d
}

// verdict is that on a command; nil if it is not listed.
func verdict(d *record.Diagnosis, command string) *record.Feasible {
	for _, c := range d.Commands {
		if c.Command == command {
			return &c
		}
	}
	return nil
}

func TestDatabaseAtRest(t *testing.T) {
	dir := newDatabase(t)
	d := examine(t, dir)
	assert.Equal(t, record.DiagnosisSchema, d.Schema)
	assert.Equal(t, "goleveldb", d.Engine.Name)
	assert.Empty(t, d.Refused)
	assert.Equal(t, 1, d.Files.Tables)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Equal(t, len(entries), d.Files.Count)
	if d.Files.CachedBytes != nil {
		assert.LessOrEqual(t, *d.Files.CachedBytes, d.Files.TableBytes+1<<12)
	}
	assert.Empty(t, d.OpenBy)
	assert.False(t, d.Locked)
	for _, command := range []string{"inspect", "measure", "sweep", "curve", "advise"} {
		assert.Equal(t, &record.Feasible{Command: command, Works: true}, verdict(d, command))
	}
	assert.False(t, verdict(d, "watch").Works)
	assert.Nil(t, verdict(d, "inspect --categories"), "there is no freezer")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "ancient"), 0o755))
	assert.True(t, verdict(examine(t, dir), "inspect --categories").Works)
}

// TestDamagedDatabase: commands refuse it, for the reason that inspect gives.
func TestDamagedDatabase(t *testing.T) {
	for name, damage := range map[string]func(table string) error{
		"missing table":   os.Remove,
		"truncated table": func(table string) error { return os.Truncate(table, 1000) },
		"damaged footer": func(table string) error {
			fi, err := os.Stat(table)
			if err != nil {
				return err
			}
			f, err := os.OpenFile(table, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteAt(make([]byte, 8), fi.Size()-8)
			return errors.Join(err, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newDatabase(t)
			tables, err := filepath.Glob(filepath.Join(dir, "*.ldb"))
			require.NoError(t, err)
			require.NoError(t, damage(tables[0]))
			_, want := database.Open(t.Context(), engines.All(), dir, database.OpenOptions{})
			require.Error(t, want)
			d := examine(t, dir)
			assert.Equal(t, want.Error(), d.Refused)
			assert.Equal(t, &record.Feasible{Command: "inspect, measure, sweep", Why: want.Error()}, verdict(d, "inspect, measure, sweep"))
			for _, command := range []string{"inspect", "measure", "sweep", "curve", "advise"} {
				assert.Nil(t, verdict(d, command), command)
			}
		})
	}
}

// heldDatabase returns a database that this process has open, and one of its tables.
func heldDatabase(t *testing.T) (dir, table string) {
	t.Helper()
	dir = newDatabase(t)
	db, err := leveldb.OpenFile(dir, nil)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	tables, err := filepath.Glob(filepath.Join(dir, "*.ldb"))
	require.NoError(t, err)
	return dir, tables[0]
}

// TestDamagedDatabaseInUse: a database that is in use is not opened, so the damage is not known.
func TestDamagedDatabaseInUse(t *testing.T) {
	dir, table := heldDatabase(t)
	require.NoError(t, os.Truncate(table, 1000))
	d := examine(t, dir)
	assert.True(t, d.Locked)
	assert.Empty(t, d.Refused)
}

// TestDatabaseWithoutTables: inspect shows that it is empty, and measure that its Gets read nothing.
func TestDatabaseWithoutTables(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "db")
	db, err := leveldb.OpenFile(dir, nil)
	require.NoError(t, err)
	require.NoError(t, db.Put([]byte("key"), []byte("in the log"), nil))
	require.NoError(t, db.Close())
	d := examine(t, dir)
	assert.True(t, verdict(d, "inspect").Works)
	assert.True(t, verdict(d, "measure").Works)
	none := verdict(d, "sweep, curve, advise")
	assert.False(t, none.Works)
	assert.Contains(t, none.Why, "no table")
}

// TestMeasuringIsTried: a database with a damaged data block opens, but measure cannot draw its keys.
func TestMeasuringIsTried(t *testing.T) {
	dir := newDatabase(t)
	tables, err := filepath.Glob(filepath.Join(dir, "*.ldb"))
	require.NoError(t, err)
	require.Len(t, tables, 1)
	content, err := os.ReadFile(tables[0])
	require.NoError(t, err)
	content[50] ^= 1
	require.NoError(t, os.WriteFile(tables[0], content, 0o600))
	d := examine(t, dir)
	assert.True(t, verdict(d, "inspect").Works)
	none := verdict(d, "measure, sweep, curve, advise")
	assert.False(t, none.Works)
	assert.Contains(t, none.Why, "checksum")
}

// TestDatabaseInUse: it is locked by this process, and another one has its table open.
func TestDatabaseInUse(t *testing.T) {
	dir, path := heldDatabase(t)
	table, err := os.Open(path)
	require.NoError(t, err)
	defer table.Close()
	other := exec.Command("cat")
	other.ExtraFiles = []*os.File{table}
	in, err := other.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	defer func() {
		in.Close()
		assert.NoError(t, other.Wait())
	}()

	for _, path := range []string{dir, linkTo(t, dir)} {
		d := examine(t, path)
		assert.True(t, d.Locked)
		assert.Equal(t, []record.Holder{{PID: other.Process.Pid, Command: "cat"}}, d.OpenBy)
		for _, command := range []string{"inspect --live", "measure --live", "advise --live"} {
			assert.Equal(t, &record.Feasible{Command: command, Works: true}, verdict(d, command))
		}
		assert.Contains(t, verdict(d, "sweep").Why, "no --live")
		assert.Contains(t, verdict(d, "curve").Why, "no --live")
	}
}

// linkTo returns a symbolic link to a directory, as of a chaindata that lies on another disk.
func linkTo(t *testing.T, dir string) string {
	link := filepath.Join(t.TempDir(), "chaindata")
	require.NoError(t, os.Symlink(dir, link))
	return link
}

func TestLinkedDatabase(t *testing.T) {
	dir := newDatabase(t)
	direct, linked := examine(t, dir), examine(t, linkTo(t, dir))
	assert.Equal(t, direct.Files.Count, linked.Files.Count)
	assert.Equal(t, direct.Files.Bytes, linked.Files.Bytes)
	assert.Equal(t, 1, linked.Files.Tables)
	assert.Equal(t, direct.Commands, linked.Commands)
}

// TestUnfinishedLoad: what doctor advises depends on whether a process still loads the dataset.
func TestUnfinishedLoad(t *testing.T) {
	dir := filepath.Dir(newDatabase(t))
	m := &dataset.Manifest{
		Keys: 1, Keyspace: dataset.KeyspaceKeccak, Values: dataset.ValuesRandom, ValueSize: 110, Order: dataset.OrderRandom,
		Engine: "goleveldb", Progress: &dataset.Progress{Horizon: 1},
	}
	require.NoError(t, m.Write(dir))
	d := examine(t, dir)
	assert.Contains(t, d.Refused, "did not finish")
	assert.Equal(t, d.Refused, verdict(d, "inspect, measure, sweep").Why)

	db, err := leveldb.OpenFile(m.DBDir(dir), nil)
	require.NoError(t, err)
	defer db.Close()
	d = examine(t, dir)
	assert.Equal(t, "a process is still loading "+dir+": wait until it ends", d.Refused)
	assert.Equal(t, d.Refused, verdict(d, "inspect, measure, sweep").Why)
	assert.NotContains(t, verdict(d, "watch").Why, "only Go programs")
}

func TestNoDatabase(t *testing.T) {
	_, err := Examine(t.Context(), engines.All(), t.TempDir())
	assert.ErrorIs(t, err, engine.ErrNoDatabase)
	_, err = Examine(t.Context(), engines.All(), filepath.Join(t.TempDir(), "missing"))
	assert.ErrorContains(t, err, "does not exist")
}

// TestUnreadableFiles are of root, where the user is another.
func TestUnreadableFiles(t *testing.T) {
	e := examination{Diagnosis: &record.Diagnosis{}}
	e.unreadable("db/000001.ldb")
	e.unreadable("db/000002.ldb")
	e.judge()
	assert.Equal(t, &record.Feasible{Command: "inspect, measure, sweep", Why: "this user may not read db/000001.ldb: run getio as one who may, or work on a copy"},
		verdict(e.Diagnosis, "inspect, measure, sweep"))
	assert.Nil(t, verdict(e.Diagnosis, "measure"))
}
