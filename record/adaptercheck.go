package record

import "time"

// AdapterCheck says that an adapter passed the conformance suite of the protocol.
type AdapterCheck struct {
	Schema        string        `json:"schema"`
	Time          time.Time     `json:"time"`           // when the check began, UTC
	Command       []string      `json:"command"`        // that started the adapter, word by word
	Engine        string        `json:"engine"`         // as the adapter reports
	EngineVersion string        `json:"engine_version"` // as the adapter reports
	Keys          int           `json:"keys"`           // at first
	Seed          uint64        `json:"seed"`           // of keys and values
	Steps         []AdapterStep `json:"steps"`          // all passed

	Configurations []string `json:"-"` // in words
}

// AdapterStep is one step of the suite.
type AdapterStep struct {
	Configuration string `json:"configuration,omitempty"` // absent without one
	Name          string `json:"name"`                    // of the step
	Detail        string `json:"detail,omitempty"`        // what it observed
}
