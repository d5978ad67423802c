package units

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"plain, größer":                 "plain, größer",
		" two\nlines\t and\r\nmore ":    "two lines and more",
		"\x1b[31mred\x1b[0m\x07":        "\ufffd[31mred\ufffd[0m\ufffd",
		"right\u202eto left, \u0085end": "right\ufffdto left, end",
		"no \xff text":                  "no \ufffd text",
	} {
		assert.Equal(t, want, OneLine(text), "%q", text)
	}
}
