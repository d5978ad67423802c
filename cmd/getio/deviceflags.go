package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"getio/system/device"
)

// deviceFlags choose the page cache's part, and model a device.
type deviceFlags struct {
	pageCache device.PageCache
	model     device.Model
}

func (d *deviceFlags) register(c *cobra.Command) {
	f := c.Flags()
	flagVar(f, &d.pageCache, "page-cache", "name", "keep", device.ParsePageCache,
		"the operating system's page cache: keep (as it is), cold (drop the tables' pages before the warm-up) or bypass (O_DIRECT)")
	countVar(f, &d.model.IOPS, "iops", "", 1, device.MaxIOPS, fmt.Sprintf("model a device of that many reads per second, 1 to %d; the warm-up does not wait", int64(device.MaxIOPS)))
	durationVar(f, &d.model.Latency, "read-latency", device.MaxLatency, "model a device that takes that much longer per read, such as 500us")
}

// layer is the device layer that the flags ask for; nil without any.
func (d *deviceFlags) layer() *device.Layer {
	if d.pageCache == device.Keep && d.model == (device.Model{}) {
		return nil
	}
	return device.New(d.pageCache, d.model)
}
