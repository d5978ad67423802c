// Package published holds the published figures that getio is compared with, most of them from a study
// of Pebble v1.1.5. README.md says where each file comes from.
package published

import _ "embed"

// Shapes is shapes.csv: the levels of the study's three trees.
//
//go:embed shapes.csv
var Shapes string

//go:embed reads.csv
var reads string

//go:embed protocol.csv
var protocol string

//go:embed mainnet.csv
var mainnet string

//go:embed claims.csv
var claims string
