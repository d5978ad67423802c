package advice

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"getio/measure/database"
	"getio/predict/replay"
	"getio/predict/scenario"
	"getio/predict/twin"
	"getio/workload"
)

// Describe fills in what the database says: its shape and table format, the smallest cache, the
// open tables and, if getio did not make it, whether it is geth's and the cache with which it was last opened.
func (q *Question) Describe(d *database.Database) error {
	library, err := replay.LibraryOf(d)
	if err != nil {
		return err
	}
	if q.Client, err = d.Client(); err != nil {
		return err
	}
	shape, options := d.OwnShape(), d.Config.Effective()
	q.OpenFiles = twin.OpenFiles(options)
	if q.Client.OpenFiles > 0 {
		q.OpenFiles = q.Client.OpenFiles
	}
	if written := d.Info().OptionsFile; d.Manifest == nil && written != nil {
		options = formatOptions(written)
	}
	if q.Running != nil {
		q.Client.Run(q.Running.StoreBytes(q.MachineSize))
	}
	q.Reserved, q.Present = q.Client.Reserved, q.Client.Present
	q.Source, q.Library, q.Shape = d.Dir, d.Engine.Name(), shape
	format, known := scenario.TableFormat(q.Library, options).WithSizesOf(shape)
	switch {
	case shape.Total().Tables == 0:
		return fmt.Errorf("%s has no tables yet, so no Get reads any: try again when it has some", d.Dir)
	case q.pebble() && !known:
		return fmt.Errorf("%s has no records, so nothing can be advised on: try again when it has some", d.Dir)
	}
	q.Layout = format
	q.Shards = func(bytes int64) int { return library.Shards(bytes, runtime.GOMAXPROCS(0)) }
	return nil
}

func (q *Question) pebble() bool { return strings.HasPrefix(q.Library, "pebble") }

// FollowsFromShape reports whether the reads of Gets can be simulated from the shape that Observe samples.
func (q *Question) FollowsFromShape(keys workload.Keys) bool {
	return q.pebble() && keys.EquallyPopular() && keys.Absent == 0
}

// formatOptions returns the options for the format of tables that an options file states.
func formatOptions(written map[string]string) map[string]string {
	options := map[string]string{}
	for _, name := range []string{"block_size", "index_block_size", "block_restart_interval"} {
		options[name] = written[`Level "0".`+name]
	}
	return options
}

// Observe samples the tree for predictions from its shape.
func (q *Question) Observe(ctx context.Context, d *database.Database, progress database.SampleProgress) error {
	library, err := twin.LibraryOf(q.Library, d.Config.Effective())
	if err != nil {
		return err
	}
	if q.Shape, err = d.ShapeToPredict(ctx, progress); err != nil {
		return err
	}
	q.Layout, _ = q.Layout.WithSizesOf(q.Shape)
	if q.Tree, err = twin.NewTree(q.Shape, twin.Options{Library: library, BlockBytes: q.Layout.DataBlockBytes}); err != nil {
		return fmt.Errorf("nothing can be predicted for %s: %w", d.Dir, err)
	}
	return nil
}
