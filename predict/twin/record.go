package twin

import (
	"strconv"
	"time"

	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/predict/cachesim"
	"getio/record"
	"getio/workload"
)

// Subject is what is predicted for.
type Subject struct {
	Source   string // of the shape, as in records
	Library  string // name of the engine that reads it
	Shape    *lsm.Shape
	Tree     *Tree
	Keys     workload.Keys // that are asked for
	Reserved int64         // bytes of a cache that are not for blocks
	Warnings []string
	// InLog is the share of the Gets, at most, that find their key in the write-ahead log, which the tree lacks, and read
	// nothing.
	InLog float64
	// OpenFiles is how many tables the library keeps open at most; 0 if not known, and below 0 if all.
	OpenFiles int64
}

// OpenFiles returns how many tables an engine with these options keeps open at most; 0 if not known.
func OpenFiles(options map[string]string) int64 {
	files, _ := strconv.ParseInt(options["max_open_files"], 10, 64)
	return files
}

// Record returns the record of a simulated prediction.
func (s *Subject) Record(p *Prediction, plan Plan) *record.Prediction {
	r := s.newRecord(record.MethodTwin, p.Cache)
	r.Workload.Seed, r.Workload.WarmupGets, r.Workload.Gets = s.Keys.Seed, plan.Warmup, plan.Gets
	window := p.Window.IOsPerGet()
	r.IOsPerGet.Window = &window
	r.IOsPerGet.Error, r.IOsPerGet.InLog = p.errorOf(&p.Window), s.InLog
	if p.GetsToSteady > 0 {
		steady := p.Last.IOsPerGet()
		r.IOsPerGet.Steady, r.GetsToSteady = &steady, &p.GetsToSteady
	}
	if plan.Most > 0 {
		for _, w := range p.Windows {
			r.IOsPerGet.Windows = append(r.IOsPerGet.Windows, record.PredictedWindow{Gets: w.Gets, IOsPerGet: w.Mean()})
		}
	}
	causes := p.Causes
	r.ReadsByCause = &causes
	r.Memory = p.Divided()
	r.Components, r.BytesPerGet = s.perGet(&p.Window)
	if r.PageBytesPerGet = pageBytes(window, r.BytesPerGet); r.PageBytesPerGet != nil {
		r.FirstPageBytesPerGet = new(float64(p.FirstPages*readpath.PageBytes) / float64(p.Window.Gets))
	}
	return r
}

// Divided returns the divisions of memory with the device reads of the window.
func (p *Prediction) Divided() (list []record.PredictedMemory) {
	for i, d := range p.Window.Device {
		m, gets := p.Memory[i], float64(p.Window.Gets)
		m.CI95 = p.deviceInterval(i)
		m.DeviceReadsPerGet, m.DeviceBytesPerGet = float64(d.Reads)/gets, float64(d.Pages*readpath.PageBytes)/gets
		list = append(list, m)
	}
	return list
}

// Advised returns a cache for advice, with its steady state.
func (s *Subject) Advised(p *Prediction) *record.AdvisedCache {
	a := &record.AdvisedCache{Cache: s.cache(p.Cache), IOsPerGet: record.AdvisedIOs{Predicted: p.Last.IOsPerGet(), SamplingError: p.errorOf(&p.Last)}}
	if p.GetsToSteady > 0 {
		a.GetsToSteady = &p.GetsToSteady
	}
	a.Components, a.BytesPerGet = s.perGet(&p.Last)
	a.PageBytesPerGet = pageBytes(a.IOsPerGet.Predicted, a.BytesPerGet)
	return a
}

// errorOf returns the error of the I/Os per Get. It is nil if all shards were simulated, and these and the library's
// variants hardly differ.
func (p *Prediction) errorOf(c *Counts) *float64 {
	off := c.MissError / float64(c.Gets)
	if p.Cache.Sampled == p.Cache.Shards && off <= cachesim.NotableDeviation*c.IOsPerGet() {
		return nil
	}
	return &off
}

// perGet returns the components and bytes per Get.
func (s *Subject) perGet(c *Counts) (map[string]record.PredictedComponent, *float64) {
	gets := float64(c.Gets)
	var accesses, misses, bytes readpath.Means
	for i := range accesses {
		accesses[i], misses[i], bytes[i] = float64(c.Accesses[i])/gets, c.Misses[i]/gets, c.MissBytes[i]/gets
	}
	return s.components(accesses, misses, bytes)
}

// SteadyRecord returns the record of the computed steady state, with room bytes for blocks.
func (s *Subject) SteadyRecord(steady *Steady, room int64) *record.Prediction {
	r := s.newRecord(record.MethodAnalytic, Cache{Bytes: room})
	ios := steady.IOsPerGet(room)
	r.IOsPerGet.Steady, r.IOsPerGet.InLog = &ios, s.InLog
	misses, bytes := steady.read(room)
	r.Components, r.BytesPerGet = s.components(steady.Accesses(), misses, bytes)
	r.PageBytesPerGet = pageBytes(ios, r.BytesPerGet)
	return r
}

func (s *Subject) newRecord(method string, c Cache) *record.Prediction {
	r := &record.Prediction{
		Schema: record.PredictionSchema, Time: time.Now().UTC(), Source: s.Source, Library: s.Library, Warnings: s.Warnings,
		Shape: s.Shape.WithoutTables(), Method: method, Cache: s.cache(c),
		Workload: record.Simulated{
			Kind: s.Keys.Popularity.Name(), Popularity: s.Keys.Popularity, HitFraction: 1 - s.Keys.Absent,
		},
	}
	if s.OpenFiles > 0 && s.Shape.Total().Tables > s.OpenFiles {
		r.OpenTables = s.OpenFiles
	}
	return r
}

// cache describes a cache with the bytes that are not for blocks.
func (s *Subject) cache(c Cache) record.PredictedCache {
	bytes := c.Bytes + s.Reserved
	return record.PredictedCache{
		Bytes: bytes, ReservedBytes: s.Reserved, Phase: s.Shape.Phase(bytes),
		Policy: c.Policy, Shards: c.Shards, SampledShards: c.Sampled,
	}
}

// components returns the accesses and misses per Get of each component, and the bytes read
// from files per Get, nil if the sizes of blocks in files are not known.
func (s *Subject) components(accesses, misses, bytes readpath.Means) (map[string]record.PredictedComponent, *float64) {
	of := map[string]record.PredictedComponent{}
	stored, known := s.stored()
	total := 0.0
	for _, c := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		of[c.String()] = record.NewPredictedComponent(accesses[c], misses[c])
		total += stored[c] * bytes[c]
	}
	if c := readpath.Other; accesses[c] > 0 {
		of[c.String()] = record.NewPredictedComponent(accesses[c], misses[c])
		total += bytes[c] // never compressed
	}
	if !known {
		return of, nil
	}
	return of, &total
}

// pageBytes returns the bytes of the pages that reads of so many bytes touch; nil if these are not known.
func pageBytes(reads float64, bytes *float64) *float64 {
	if bytes == nil {
		return nil
	}
	return new(readpath.MeanPageBytes(reads, *bytes))
}

// stored returns the bytes in the file per uncompressed byte of a block, by component: filters are
// not compressed, index and data blocks are.
func (s *Subject) stored() (share readpath.Means, known bool) {
	t := s.Shape.Total()
	index, stored := t.IndexBytes+t.TopIndexBytes, t.Bytes-t.DataBytes-t.FilterBytes
	if t.Bytes == 0 || t.DataBytes == 0 || stored <= 0 {
		return share, false
	}
	share[readpath.Filter] = 1
	share[readpath.Data] = s.Tree.storedData()
	share[readpath.Index] = min(float64(stored)/float64(index), 1)
	share[readpath.TopIndex] = share[readpath.Index]
	return share, true
}
