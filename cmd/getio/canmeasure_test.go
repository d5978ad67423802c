package main

import (
	"errors"
	"os"
	"sync"

	"getio/statedb/counter"
	"getio/system/device"
)

// canCount tells whether this process may count from outside.
var canCount = sync.OnceValue(func() bool {
	c, err := counter.New(counter.Place{ImageIn: os.TempDir()})
	return err == nil && c.Close() == nil
})

// onDevice tells whether temporary files are on a device.
var onDevice = sync.OnceValue(func() bool {
	f, err := os.CreateTemp("", "getio-device-")
	if err != nil {
		return false
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("a block")
	return errors.Join(err, f.Sync(), f.Close()) == nil &&
		device.New(device.Bypass, device.Model{}).Prepare([]string{f.Name()}) == nil
})
