package database

import (
	"getio/engine/lsm"
	"getio/engine/readpath"
	"getio/record"
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
	info, shape := d.Info(), d.Store.Shape()
	in := &record.Inspection{
		Schema: record.InspectionSchema, Path: d.Dir,
		Engine: d.EngineRecord(),
		Format: info.Format, Comparer: info.Comparer, Merger: info.Merger, TableFormats: info.TableFormats,
		Shape: shape.WithoutTables(), Components: map[string]record.Extent{},
		WAL:          record.WAL{Keys: info.WALKeys, Bytes: info.WALBytes, Prepared: info.WALPrepared},
		ManifestTorn: info.ManifestTorn,
		NewerTables:  info.NewerTables,
		OtherLevels:  info.OtherLevels,
		CacheFloor:   info.MinCacheBytes,
	}
	for _, f := range info.Families {
		in.Families = append(in.Families, record.Family(f))
	}
	if d.Manifest != nil {
		in.Dataset = d.Manifest
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
	in.Components["filter_never_consulted"] = extent(unread)
	return in
}
