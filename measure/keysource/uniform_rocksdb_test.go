//go:build rocksdb

package keysource_test

import (
	"getio/engine/rocksdb"
	truthrocksdb "getio/internal/truth/rocksdb"
)

func init() { libraries = append(libraries, library{truthrocksdb.Library, rocksdb.Engine}) }
