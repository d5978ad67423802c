package lsm

import (
	"encoding/json"
	"fmt"
	"os"
)

// ReadFile reads a shape that 'getio inspect DIR --shape FILE' wrote.
func ReadFile(path string) (*Shape, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the shape (%w): name small, medium, large, or a file that 'getio inspect DIR --shape FILE' wrote", err)
	}
	var s Shape
	if err := json.Unmarshal(data, &s); err != nil || s.Schema != SchemaV1 {
		return nil, fmt.Errorf("%s is not a shape of schema %s: write one with 'getio inspect DIR --shape FILE'", path, SchemaV1)
	}
	return &s, nil
}
