package pebblestore

import "getio/engine/pebble/sstfile"

// Catalog lets tests break the region maps.
func (s *Store) Catalog() *sstfile.Catalog { return s.tree.Catalog }
