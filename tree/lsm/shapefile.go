package lsm

import (
	"encoding/json"
	"fmt"
	"os"
)

// ReadFile reads a shape file written by 'getio inspect DIR --shape FILE'.
func ReadFile(path string) (*Shape, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the shape (%w): use small, medium, large, or a file written by 'getio inspect DIR --shape FILE'", err)
	}
	var s Shape
	if err := json.Unmarshal(data, &s); err != nil || s.Schema != SchemaV1 {
		return nil, fmt.Errorf("%s is not a shape of schema %s: write one with 'getio inspect DIR --shape FILE'", path, SchemaV1)
	}
	return &s, nil
}
