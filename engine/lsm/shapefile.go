package lsm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"getio/system/filesystem"
)

// These limits keep a wrong file from taking more than half a gigabyte of memory: a table takes many times the bytes of
// an empty object. They are those of a shape of about 100,000 tables.
const (
	maxShape        = 64 << 20
	maxShapeObjects = 500_000
)

// HoldsShape reports whether a file is a JSON object of a shape's schema, even if its numbers are wrong. It reads no further
// than to the schema, which shapes begin with.
func HoldsShape(path string) (bool, error) {
	f, err := filesystem.OpenRegular(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	in := json.NewDecoder(io.LimitReader(f, maxShape))
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return false, nil
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return false, nil
		}
		var value any
		if err := in.Decode(&value); err != nil {
			return false, nil
		}
		if name == "schema" {
			return value == SchemaV1, nil
		}
	}
	return false, nil
}

// ReadFile reads a shape file written by 'getio inspect DIR --shape FILE'. It is an error if its
// numbers contradict each other.
func ReadFile(path string) (*Shape, error) {
	data, err := filesystem.ReadRegular(path, maxShape)
	if err != nil {
		return nil, fmt.Errorf("cannot read the shape (%w): use small, medium, large, or a file written by 'getio inspect DIR --shape FILE'", err)
	}
	if n := bytes.Count(data, []byte("{")) + bytes.Count(data, []byte("null")); n > maxShapeObjects {
		return nil, fmt.Errorf("the shape in %s has more than %d objects, tables and kinds of blocks: getio reads no larger ones", path, maxShapeObjects)
	}
	var s Shape
	if err := json.Unmarshal(data, &s); err != nil || s.Schema != SchemaV1 {
		return nil, fmt.Errorf("%s is not a shape of schema %s: write one with 'getio inspect DIR --shape FILE'", path, SchemaV1)
	}
	if err := s.checkSums(); err != nil {
		return nil, fmt.Errorf("the shape in %s contradicts itself (%w): write it again with 'getio inspect DIR --shape FILE'", path, err)
	}
	return &s, nil
}
