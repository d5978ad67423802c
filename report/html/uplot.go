package html

import (
	_ "embed"
	"io"

	"github.com/tsenart/vegeta/v12/lib/plot"
)

// The charts are drawn by uPlot 1.6.32 (https://github.com/leeoniya/uPlot). It comes from the module of vegeta, which
// ships it, so that go.sum checks it and a build needs nothing but Go. Its licence asks for the text to go with every copy.
func uplotJS() string  { return "/*! uPlot\n\n" + uplotLicense + "*/\n" + vegetaAsset("uPlot.min.js") }
func uplotCSS() string { return vegetaAsset("uPlot.min.css") }

//go:embed uplot-license.txt
var uplotLicense string

// vegetaAsset returns a file that vegeta embeds.
func vegetaAsset(name string) string {
	f, err := plot.Assets.Open(name)
	if err != nil {
		panic("vegeta no longer embeds " + name + ": " + err.Error())
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		panic(err)
	}
	return string(text)
}
