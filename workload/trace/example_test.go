package trace_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"getio/workload"
	"getio/workload/trace"
)

// A trace of two operations is written, and read again.
func ExampleReader() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "gets.trace")
	w, err := trace.Create(path, nil)
	if err != nil {
		log.Fatal(err)
	}
	w.Write(&trace.Operation{Kind: workload.Get, Keys: []trace.Key{{Bytes: []byte("account")}}})
	w.Write(&trace.Operation{Kind: workload.Scan, Keys: []trace.Key{{Bytes: []byte("slot")}}, Length: 10})
	if err := w.Finish(0); err != nil {
		log.Fatal(err)
	}

	r, err := trace.NewReader(path)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	var o trace.Operation
	for r.Next(&o) == nil {
		fmt.Printf("%s %s: %d records\n", o.Kind, o.Keys[0].Bytes, o.Records())
	}
	// Output:
	// get account: 1 records
	// scan slot: 10 records
}
