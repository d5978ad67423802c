package option

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/numbers/units"
)

// testConfig has an option of every kind.
type testConfig struct {
	bytes, perLevel [7]int64
	count           int
	text            string
}

var options = List[testConfig]{
	Number("size", "1KiB", 10, 1<<30, func(c *testConfig) any { return &c.bytes[0] }),
	Number("level_size", "1KiB 2KiB", 0, 1<<30, func(c *testConfig) any { return &c.perLevel }),
	Number("count", "2", 1, 9, func(c *testConfig) any { return &c.count }),
	Word("text", "some", func(c *testConfig) any { return &c.text }),
}

func TestEffectiveReadsBack(t *testing.T) {
	c := testConfig{bytes: [7]int64{4096}, count: 3, text: "snappy"}
	for _, o := range []string{"level_size=1KiB", "level_size.L3=2KiB"} {
		require.NoError(t, options.Override(&c, o))
	}
	shown := options.Effective(&c)
	if shown["level_size.L3"] != "2KiB" || shown["level_size.L0"] != "1KiB" || shown["size"] != "4KiB" || shown["count"] != "3" {
		t.Errorf("%v", shown)
	}
	var back testConfig
	for name, value := range shown {
		require.NoError(t, options.Override(&back, name+"="+value))
	}
	if back != c || !maps.Equal(options.Effective(&back), shown) {
		t.Errorf("%+v came back as %+v", c, back)
	}
}

func TestDefaults(t *testing.T) {
	const kib = 1 << 10
	want := testConfig{bytes: [7]int64{kib}, perLevel: [7]int64{kib, 2 * kib, 2 * kib, 2 * kib, 2 * kib, 2 * kib, 2 * kib}, count: 2, text: "some"}
	assert.Equal(t, want, *options.Defaults())
}

func TestOverrideRefusesBadValues(t *testing.T) {
	for override, says := range map[string]string{
		"size":             "has no value",
		"weight=1":         "use one of size, level_size[.L0-L6], count, text",
		"size=9":           "out of range",
		"size=many":        "not a size",
		"size.L1=1KiB":     "only per-level options take a level",
		"level_size.L7=10": "only per-level options take a level",
		"count=0":          "out of range",
		"count=1.5":        "not a whole number",
	} {
		c := testConfig{}
		if err := options.Override(&c, override); err == nil || !strings.Contains(err.Error(), says) || c != (testConfig{}) {
			t.Errorf("%s: %v, %+v", override, err, c)
		}
	}
}

func TestSizesReadBack(t *testing.T) {
	for bytes, want := range map[int64]string{
		1: "1", 1023: "1023", 1024: "1KiB", 1025: "1025", 1 << 20: "1MiB", 3 << 19: "1536KiB", 1 << 30: "1GiB", 1<<40 + 1<<30: "1025GiB", 1<<50 - 1: fmt.Sprint(1<<50 - 1),
	} {
		assert.Equal(t, want, units.Exact(bytes), "%d", bytes)
		var back int64
		if err := setBytes(&back, units.Exact(bytes), 1, 1<<60); err != nil || back != bytes {
			t.Errorf("%d came back as %d, %v", bytes, back, err)
		}
	}
}
