// Package served serves getio's own engines over the adapter protocol, so that each can be
// measured as a child process like engines in other languages.
package served

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"getio/engine"
	"getio/outside/adapter"
)

// Limits of keys and values. getio's are far smaller, and the libraries' larger.
const (
	maxKey   = 4 << 10
	maxValue = 16 << 20
)

type served struct {
	ctx    context.Context
	engine engine.Engine
}

// New makes an engine an adapter, with a configuration for each preset. Long operations end
// when ctx is done.
func New(ctx context.Context, e engine.Engine) adapter.Engine { return served{ctx, e} }

func (s served) Hello() adapter.Hello {
	h := adapter.Hello{Engine: s.engine.Name(), EngineVersion: s.engine.Version()}
	for _, preset := range s.engine.Presets() {
		h.Configurations = append(h.Configurations, adapter.Configuration{
			Name: preset, About: "getio's preset " + preset,
			MinKey: 1, MaxKey: maxKey, MaxValue: maxValue, Ordered: true,
			Caches: []adapter.Cache{{Name: "block cache"}},
		})
	}
	return h
}

func (s served) Open(o adapter.Open) (adapter.Store, adapter.Opened, error) {
	cfg, err := s.engine.Configure(o.Configuration, o.Options)
	if err != nil {
		return nil, adapter.Opened{}, err
	}
	store := &store{served: s, dir: o.Dir, cfg: cfg, cache: int64(o.CacheBytes)}
	if err := store.open(o.Mode); err != nil {
		return nil, adapter.Opened{}, err
	}
	opened := adapter.Opened{Options: []adapter.Option{{Name: "cache_bytes", Value: strconv.FormatUint(o.CacheBytes, 10)}}}
	for name, value := range cfg.Effective() {
		opened.Options = append(opened.Options, adapter.Option{Name: name, Value: value})
	}
	return store, opened, nil
}

// open opens the store for its first use.
func (s *store) open(mode adapter.Mode) error {
	if mode == adapter.Create {
		if err := requireEmpty(s.dir); err != nil {
			return err
		}
		loader, err := s.engine.Create(s.dir, s.cfg)
		if err == nil {
			s.startLoading(loader)
		}
		return err
	}
	if _, err := s.engine.Recognise(s.dir); err != nil {
		return err
	}
	if mode == adapter.Write {
		return s.toLoad()
	}
	return s.toRead()
}

// requireEmpty refuses a directory that is not empty.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: choose an empty directory", dir)
	}
	return nil
}
