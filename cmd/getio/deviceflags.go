package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"getio/system/device"
)

// deviceFlags say how reads of tables reach the device, and which.
type deviceFlags struct {
	pageCache string
	iops      string
	latency   string
}

func (d *deviceFlags) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&d.pageCache, "page-cache", "keep", "the operating system's page cache: keep (as it is), cold (the tables' pages are dropped before the warm-up) or bypass (O_DIRECT)")
	f.StringVar(&d.iops, "iops", "", "model a device of so many reads per second, like 3000: each read of a table waits for its turn (not in the warm-up)")
	f.StringVar(&d.latency, "read-latency", "", "model a device that takes so much longer for each read, like 500us")
}

// layer is the way to the device that the flags name; nil if it is the plain one.
func (d *deviceFlags) layer() (*device.Layer, error) {
	pages, err := device.ParsePageCache(d.pageCache)
	if err != nil {
		return nil, fmt.Errorf("--page-cache: %w", err)
	}
	var model device.Model
	if d.iops != "" {
		if model.IOPS, err = parseCount("--iops", d.iops); err != nil {
			return nil, err
		}
		if model.IOPS < 1 || model.IOPS > device.MaxIOPS {
			return nil, fmt.Errorf("--iops %s is out of range: take 1 to %d reads per second", d.iops, device.MaxIOPS)
		}
	}
	if d.latency != "" {
		model.Latency, err = time.ParseDuration(d.latency)
		if err != nil {
			return nil, fmt.Errorf("--read-latency %q is no time: write it like 500us or 2ms", d.latency)
		}
		if model.Latency <= 0 || model.Latency > device.MaxLatency {
			return nil, fmt.Errorf("--read-latency %s is out of range: take more than 0 and up to %s", d.latency, device.MaxLatency)
		}
	}
	if pages == device.Keep && model == (device.Model{}) {
		return nil, nil
	}
	return device.New(pages, model), nil
}
