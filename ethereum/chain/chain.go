// Package chain runs client operations on a chaindata directory: fetching a block, a transaction or
// a balance. It uses go-ethereum's own code over getio's engines, so that each operation can be
// followed down to the keys it gets, the blocks of tables they need, and the reads. Old blocks come
// from the freezer's files.
//
// The counts are for a client whose own caches are empty: every key that an operation needs is
// looked up in the store.
package chain

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"

	"getio/client/chaindata"
	"getio/engine"
)

// Place is where a chain is stored.
type Place struct {
	Dir     string // key-value store
	Ancient string // freezers
	// InUse says that a client has the freezers open and appends to them.
	InUse bool
}

// Chain is a chain opened for reading. It is not safe for concurrent use.
type Chain struct {
	place  Place
	db     engine.DB
	reader *reader
	config *params.ChainConfig
	head   *types.Header
	state  State
}

// Open opens a chain with an empty cache of its own. cache.Trace, if set, is called with each read of
// a table too.
func Open(s engine.Store, place Place, cache engine.OpenConfig) (*Chain, error) {
	r := &reader{gets: map[chaindata.Category]Gets{}, freezer: &freezer{}}
	if also := cache.Trace; also == nil {
		cache.Trace = r.trace
	} else {
		cache.Trace = func(t engine.TableRead) { r.trace(t); also(t) }
	}
	db, err := s.Open(cache)
	if err != nil {
		return nil, err
	}
	r.db = db
	c := &Chain{place: place, db: db, reader: r}
	if err := c.open(); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Chain) open() error {
	if err := c.requireChain(); err != nil {
		return err
	}
	if err := c.reader.openFreezer(c.place); err != nil {
		return err
	}
	c.config = rawdb.ReadChainConfig(c.reader, rawdb.ReadCanonicalHash(c.reader, 0))
	c.head = rawdb.ReadHeadHeader(c.reader)
	if block := rawdb.ReadHeadBlockHash(c.reader); block != (common.Hash{}) {
		if number, ok := rawdb.ReadHeaderNumber(c.reader, block); ok {
			c.head = rawdb.ReadHeader(c.reader, block, number)
		}
	}
	if err := c.reader.err; err != nil {
		return err
	}
	missing := ""
	switch {
	case c.head == nil:
		missing = "the head block"
	case c.config == nil:
		missing = "the configuration"
	default:
		return nil
	}
	return fmt.Errorf("%s lacks %s of its chain: if the freezer is elsewhere, name it with --ancient", c.place.Dir, missing)
}

// requireChain refuses a database that is not geth's or has a newer schema.
func (c *Chain) requireChain() error {
	if rawdb.ReadHeadHeaderHash(c.reader) == (common.Hash{}) {
		if err := c.reader.err; err != nil {
			return err
		}
		return fmt.Errorf("%s is not chaindata of geth (it has no head header): name the chaindata directory of a node", c.place.Dir)
	}
	if version := rawdb.ReadDatabaseVersion(c.reader); version != nil && *version > chaindata.SchemaVersion {
		return fmt.Errorf("%s has version %d of geth's database schema, and this getio knows versions up to %d: update getio", c.place.Dir, *version, chaindata.SchemaVersion)
	}
	return nil
}

// Head returns the number of the newest block.
func (c *Chain) Head() uint64 { return c.head.Number.Uint64() }

// HeadRoot returns the root of the state after the newest block.
func (c *Chain) HeadRoot() common.Hash { return c.head.Root }

func (c *Chain) Close() error { return errors.Join(c.reader.freezer.Close(), c.db.Close()) }
