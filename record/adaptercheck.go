package record

import "time"

// AdapterCheck says that an adapter passed the conformance suite of the protocol.
type AdapterCheck struct {
	Schema        string        `json:"schema"`
	Time          time.Time     `json:"time"`
	Command       []string      `json:"command"`
	Engine        string        `json:"engine"`
	EngineVersion string        `json:"engine_version"`
	Keys          int           `json:"keys"`
	Seed          uint64        `json:"seed"`
	Steps         []AdapterStep `json:"steps"` // all passed

	Configurations []string `json:"-"` // in words
}

// AdapterStep is one step of the suite.
type AdapterStep struct {
	Configuration string `json:"configuration,omitempty"`
	Name          string `json:"name"`
	Detail        string `json:"detail,omitempty"`
}
