package treewriter

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"getio/engine"
	"getio/engine/lsm"
	"getio/engine/rowtable"
	"getio/workload/dataset"
)

// forms holds the forms of an engine's tables, by level.
type forms [lsm.NumLevels]rowtable.Form

// readForms gets the forms from the engine, and their templates from small tables that the
// library writes into dir.
func readForms(e engine.Builder, cfg engine.Config, dir string) (*forms, error) {
	form, err := e.TableOptions(cfg)
	if err != nil {
		return nil, err
	}
	f := &forms{}
	for level := range f {
		template, err := readTemplate(e, cfg, dir, level)
		if err != nil {
			return nil, fmt.Errorf("a table of %s %s for L%d cannot be taken as a model: %w", e.Name(), e.Version(), level, err)
		}
		f[level] = rowtable.Form{
			BlockSize: form.BlockSize, IndexBlockSize: form.IndexBlockSize, RestartInterval: form.RestartInterval,
			FlushAbove: form.FlushAbove, IndexFlushAbove: form.IndexFlushAbove, FlushAtThreshold: form.FlushAtThreshold,
			BloomBits: form.BloomBits[level], Snappy: form.Snappy, Template: template,
		}
	}
	return f, nil
}

// modelName is the file name of tables that the library writes as templates or for comparison.
const modelName = "model.tmp"

func readTemplate(e engine.Builder, cfg engine.Config, dir string, level int) (*rowtable.Template, error) {
	path := filepath.Join(dir, modelName)
	defer os.Remove(path)
	w, err := e.NewTable(path, cfg, level)
	if err != nil {
		return nil, err
	}
	var key [dataset.KeySize]byte
	if err := cmp.Or(w.Set(key[:], 0, []byte("value")), w.Close()); err != nil {
		return nil, err
	}
	table, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return rowtable.ReadTemplate(table)
}
