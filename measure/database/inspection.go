package database

import (
	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/record"
	"getio/workload/dataset"
)

// OwnShape returns a copy of the database's shape with its engine's name. EvenTables is set if
// getio wrote the tables directly.
func (d *Database) OwnShape() *lsm.Shape {
	s := *d.Store.Shape()
	s.Engine = d.Engine.Name()
	s.EvenTables = d.Manifest != nil && d.Manifest.Build != ""
	return &s
}

// ReadOptions returns the effective options that matter for reading. Those for writing are
// included if getio wrote the database.
func (d *Database) ReadOptions() map[string]string {
	effective := d.Config.Effective()
	if d.Manifest != nil {
		return effective
	}
	return map[string]string{"max_open_files": effective["max_open_files"]}
}

// Inspection returns a record that describes the database: its shape, components and log.
func (d *Database) Inspection() *record.Inspection {
	in := NewInspection(d.Info(), d.Store.Shape(), d.Manifest)
	in.Path, in.Engine, in.Read = d.Dir, d.EngineRecord(), d.ReadOptions()
	return in
}

// NewInspection describes a database with the given shape and manifest, without how it is read.
func NewInspection(info engine.Info, shape *lsm.Shape, m *dataset.Manifest) *record.Inspection {
	in := &record.Inspection{
		Schema: record.InspectionSchema, Files: info.Dir,
		Format: info.Format, Comparer: info.Comparer, Merger: info.Merger, TableFormats: info.TableFormats,
		Dataset: m, Shape: shape.WithoutTables(), Components: map[string]record.Extent{},
		WAL:          record.WAL{Keys: info.WALKeys, Bytes: info.WALBytes, Prepared: info.WALPrepared, Missing: info.MissingLogs},
		Written:      info.Written(),
		ManifestTorn: info.ManifestTorn,
		NewerTables:  info.NewerTables,
		OtherLevels:  info.OtherLevels,
		CacheFloor:   info.MinCacheBytes,
	}
	for _, f := range info.Families {
		in.Families = append(in.Families, record.Family(f))
	}
	total := shape.Total().Bytes
	extent := func(bytes int64) record.Extent {
		e := record.Extent{Bytes: bytes}
		if total > 0 {
			e.FractionOfDB = float64(bytes) / float64(total)
		}
		return e
	}
	read, unread := shape.ComponentBytes()
	for _, component := range []readpath.Component{readpath.Filter, readpath.TopIndex, readpath.Index, readpath.Data} {
		in.Components[component.String()] = extent(read[component])
	}
	in.Components[record.FilterUnread] = extent(unread)
	return in
}
