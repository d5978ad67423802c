package sstfile

import (
	"context"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// silent is the logger of table readers. They need one because they check whether tracing
// is on after slow reads, and have no default for direct reads of blocks.
type silent struct{}

var _ pebble.LoggerAndTracer = silent{}

func (silent) Infof(string, ...any)                   {}
func (silent) Errorf(string, ...any)                  {}
func (silent) Fatalf(format string, args ...any)      { panic(fmt.Errorf(format, args...)) }
func (silent) Eventf(context.Context, string, ...any) {}
func (silent) IsTracingEnabled(context.Context) bool  { return false }
