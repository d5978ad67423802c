package sstfile

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// silent is the logger of table readers, which asks about tracing whenever a
// read is slow and has no default where blocks are read directly.
type silent struct{}

var _ pebble.LoggerAndTracer = silent{}

func (silent) Infof(string, ...any)                   {}
func (silent) Errorf(string, ...any)                  {}
func (silent) Fatalf(format string, args ...any)      { panic(fmt.Errorf(format, args...)) }
func (silent) Eventf(context.Context, string, ...any) {}
func (silent) IsTracingEnabled(context.Context) bool  { return false }
