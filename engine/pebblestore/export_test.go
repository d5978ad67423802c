package pebblestore

import "getio/engine/sstfile"

// Catalog lets tests break the region maps.
func (s *Store) Catalog() *sstfile.Catalog { return s.catalog }
