package record

import "time"

// AdapterCheckSchema marks what holding an adapter to the protocol came to.
const AdapterCheckSchema = "getio.adapter/1"

// AdapterCheck is an adapter that keeps to the protocol.
type AdapterCheck struct {
	Schema        string        `json:"schema"`
	Time          time.Time     `json:"time"`
	Command       []string      `json:"command"`
	Engine        string        `json:"engine"`
	EngineVersion string        `json:"engine_version"`
	Keys          int           `json:"keys"`
	Seed          uint64        `json:"seed"`
	Steps         []AdapterStep `json:"steps"` // all of them were passed
}

// AdapterStep is one thing that was asked of an adapter.
type AdapterStep struct {
	Configuration string `json:"configuration,omitempty"`
	Name          string `json:"name"`
	Detail        string `json:"detail,omitempty"`
}
