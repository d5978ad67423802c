package pebblestore

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/wal"

	"getio/engine/catalog"
	"getio/engine/pebble/pebbledb"
)

// readLog reads the files of a database's write-ahead log that the library replayed. v2 reads the logs of v1 as well.
func readLog(dir string, logs pebbledb.Logs, replayed []pebbledb.ReplayedLog) (catalog.Log, error) {
	if len(replayed) == 0 {
		return nil, nil
	}
	places := []wal.Dir{{FS: vfs.Default, Dirname: cmp.Or(logs.Primary, dir)}}
	if logs.Secondary != "" {
		places = append(places, wal.Dir{FS: vfs.Default, Dirname: logs.Secondary})
	}
	files, err := wal.Scan(places...)
	if err != nil {
		return nil, err
	}
	log := catalog.Log{}
	for _, r := range replayed {
		var records int64
		at := slices.IndexFunc(files, func(f wal.LogicalLog) bool { return uint64(f.Num) == r.Number })
		if at >= 0 {
			records, err = readLogFile(files[at], log)
		}
		if err == nil && records != r.Records {
			err = fmt.Errorf("it holds %d records, and the library replayed %d: the database was changed meanwhile, run the command again", records, r.Records)
		}
		if err != nil {
			return nil, fmt.Errorf("file %06d of the write-ahead log in %s: %w", r.Number, places[0].Dirname, err)
		}
	}
	return log, nil
}

// readLogFile reads up to the first record that is incomplete, as the library does, and counts what it read.
func readLogFile(file wal.LogicalLog, log catalog.Log) (records int64, err error) {
	r := file.OpenForRead()
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		one, _, err := r.NextRecord()
		var batch bytes.Buffer
		if err == nil {
			_, err = io.Copy(&batch, one)
		}
		if err == io.EOF || record.IsInvalidRecord(err) {
			return records, nil
		}
		if err != nil {
			return records, err
		}
		n, err := readBatch(batch.Bytes(), log)
		if err != nil {
			return records, err
		}
		records += n
	}
}

func readBatch(batch []byte, log catalog.Log) (records int64, err error) {
	header, whole := batchrepr.ReadHeader(batch)
	if !whole {
		return 0, errors.New("it has a batch that is too short")
	}
	for r := batchrepr.Read(batch); ; {
		kind, key, _, ok, err := r.Next()
		if err != nil || !ok {
			return int64(header.Count), err
		}
		switch kind {
		case pebble.InternalKeyKindSet, pebble.InternalKeyKindSetWithDelete, pebble.InternalKeyKindMerge:
			log[string(key)] = catalog.Sets
		case pebble.InternalKeyKindDelete, pebble.InternalKeyKindSingleDelete, pebble.InternalKeyKindDeleteSized:
			log[string(key)] = catalog.Deletes
		case pebble.InternalKeyKindIngestSST, pebble.InternalKeyKindExcise:
			return 0, errors.New("it names tables that were ingested and are in no level yet: open the database once with its client")
		}
	}
}
