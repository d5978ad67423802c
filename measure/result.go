package measure

import (
	"fmt"
	"strings"
	"time"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/numbers/steady"
	"getio/record"
	"getio/record/judge"
)

// newResult returns a result with the fields that follow from the database, the cache and the
// counts of the measured Gets.
func newResult(info engine.Info, shape *lsm.Shape, cache engine.Cache, run engine.Counts, checks []readpath.Check) *record.Result {
	bytes := shape.Total().Bytes
	result := &record.Result{
		Schema: record.ResultSchema,
		Time:   time.Now().UTC().Truncate(time.Second),
		Engine: record.Engine{Name: info.Engine, Version: info.Version},
		Dataset: record.Dataset{
			Path: info.Dir, Records: shape.Total().Records, Bytes: bytes, WALKeys: info.WALKeys,
		},
		Shape: shape.WithoutTables(),
		Cache: record.Cache{
			Bytes: cache.Bytes, Shards: cache.Shards, ReservedBytes: cache.Reserved,
			Phase: shape.Phase(cache.Bytes),
		},
		Components:  record.Components(run.Reads, run.Accesses),
		Cached:      blockCache(run),
		SharedLoads: run.SharedLoads,
		Checks:      checks,
		Environment: record.ThisMachine(),
	}
	if bytes > 0 {
		result.Cache.FractionOfDB = float64(cache.Bytes) / float64(bytes)
	}
	return result
}

// describe sets the fields that follow from the run and its windows.
func (r *run) describe(result *record.Result, m measured) {
	w := r.plan.workload(r.seek)
	w.WarmupGets, w.WarmupChosenGets, w.Gets = r.chosen+m.warmup, r.chosen, r.phase.gets
	result.Workload = w
	result.IOsPerGet = r.iosPerGet(m.windows, m.windows)
	if m.ended != "" {
		r.describeEnd(result, m)
	} else if result.IOsPerGet.Steady == nil {
		result.Warnings = append(result.Warnings, fmt.Sprintf(
			"too few Gets to tell whether the run is steady: %d windows of %d are needed", steady.Windows, r.plan.minGets))
	}
	result.BytesPerGet, result.BytesWindows = bytesPerGet(result.Components, r.phase.gets), record.SetWindows(result.Components, r.phase.windowReads)
	r.describeFound(result)
	result.File = record.File{ReadsPerGet: result.IOsPerGet.Mean, BytesPerGet: result.BytesPerGet}
	if r.shared == nil {
		r.describeLayers(result)
	} else {
		r.describeShared(result)
	}
	r.describeLatency(result)
	if r.phase.recorder.pace == nil && r.shared == nil {
		result.CPUusPerGet = float64(r.phase.spent.CPU.Nanoseconds()) / 1e3 / float64(r.phase.gets)
	}
	result.Warnings = append(result.Warnings, r.warnings(result)...)
}

// found returns the share of the phase's keys that exist (only the first key of a scan counts),
// and the number of records returned or looked up.
func (r *run) found() (share float64, records int64) {
	var found int64
	for _, w := range r.phase.workers {
		found += w.found
		records += w.records
	}
	return float64(found) / float64(r.phase.gets*r.plan.Operation.EachKeys()), records
}

// describeFound sets the share of existing keys and, of operations other than Gets, the figures per key.
func (r *run) describeFound(result *record.Result) {
	share, records := r.found()
	result.Workload.HitFraction = share
	if !r.plan.Kind.IsGet() && records > 0 {
		result.PerKey = &record.PerKey{
			Keys: records, IOs: result.IOsPerGet.Mean * float64(r.phase.gets) / float64(records),
			Bytes: result.BytesPerGet * float64(r.phase.gets) / float64(records),
		}
	}
}

// iosPerGet returns the mean of a run's windows. all also includes the windows of the runs that
// it continues; steadiness is judged by the last of them.
func (r *run) iosPerGet(windows, all []steady.Window) record.IOsPerGet {
	io := judge.IOsPerGet(windows)
	judge.Steadiness(&io, steady.Last(all, len(windows), r.plan.minGets), r.plan.minGets, r.made())
	return io
}

func bytesPerGet(components map[string]record.Component, gets int64) float64 {
	var bytes int64
	for _, c := range components {
		bytes += c.BytesRead
	}
	return float64(bytes) / float64(gets)
}

func blockCache(run engine.Counts) *record.BlockCache {
	return &record.BlockCache{
		Hits: run.BlockCacheHits, Misses: run.BlockCacheMisses,
		HitRate: record.HitRate(run.BlockCacheHits, run.BlockCacheHits+run.BlockCacheMisses),
	}
}

// manyOpens is the number of reads per Get by table opens above which there is a warning.
const manyOpens = 0.01

func (r *run) warnings(result *record.Result) (warnings []string) {
	opens := float64(result.Components[readpath.TableOpen.String()].Misses) / float64(result.Workload.Gets)
	if opens > manyOpens && r.opensAgain(result) {
		files := "tables"
		if result.Shape.BlobFiles > 0 {
			files = "tables and blob files"
		}
		warnings = append(warnings, fmt.Sprintf(
			"%.2f reads per Get only open %s, since the database has more of them than may be open: raise --max-open-files", opens, files))
	}
	if other := result.Components[readpath.Other.String()]; other.Misses > 0 {
		warnings = append(warnings, fmt.Sprintf(
			"%d reads were of range deletions or value blocks, which a Get of a plain key does not read", other.Misses))
	}
	return warnings
}

// warmEnough is the number of Gets per file after which nearly all files are open.
const warmEnough = 10

// opensAgain reports whether tables or blob files were opened more than once.
func (r *run) opensAgain(result *record.Result) bool {
	files := result.Shape.Total().Tables + result.Shape.BlobFiles
	return result.Workload.WarmupGets >= warmEnough*files || r.counts().TableCacheMisses > files
}

// getError returns the error of a run in which a Get failed.
func getError(key []byte, err error) error {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return fmt.Errorf("key %x could not be read, so no figure of this run is valid (%s)", key, text)
}
