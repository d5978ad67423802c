package main

import (
	"os"

	"getio/outside/adapter/adaptertest"
)

// modelAdapter is the program model-adapter of the scripts: a store behind the
// protocol that goes wrong as its argument says.
func modelAdapter() {
	fault := adaptertest.None
	if len(os.Args) > 1 {
		fault = adaptertest.Fault(os.Args[1])
	}
	os.Exit(adaptertest.Main(fault))
}
