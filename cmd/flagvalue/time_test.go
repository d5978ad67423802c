package flagvalue

import (
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTime(t *testing.T) {
	var until time.Time
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	Time(f, &until)
	require.NoError(t, f.Parse(nil))
	assert.True(t, until.IsZero())
	before := time.Now()
	require.NoError(t, f.Parse([]string{"--time", "2m"}))
	assert.False(t, until.Before(before.Add(2*time.Minute)))
	assert.False(t, until.After(time.Now().Add(2*time.Minute)))
	for _, text := range []string{"0s", "-1m", "2", "10000h"} {
		assert.Error(t, f.Parse([]string{"--time", text}), text)
	}
}
