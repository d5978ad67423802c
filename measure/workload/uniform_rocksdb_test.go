//go:build rocksdb

package workload_test

import (
	"getio/engine/rocksdb"
	truthrocksdb "getio/truth/rocksdb"
)

func init() { libraries = append(libraries, library{truthrocksdb.Library, rocksdb.Engine}) }
