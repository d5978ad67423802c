package chainload

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/core/types"
)

// ReadGenesis adds the accounts of a genesis file, as 'geth dumpgenesis' writes it, to the plan.
func (p *Plan) ReadGenesis(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("cannot read the genesis %s (%w): name another file with --genesis", path, err)
	}
	var genesis struct {
		Alloc types.GenesisAlloc `json:"alloc"`
	}
	if err := json.Unmarshal(text, &genesis); err != nil {
		return fmt.Errorf("%s is not a genesis (%w): name a file as 'geth dumpgenesis' writes it", path, err)
	}
	if len(genesis.Alloc) == 0 {
		return errors.New(path + " allocates nothing: leave --genesis out, or name another file")
	}
	p.Alloc, p.Allocated = genesis.Alloc, uint64(len(genesis.Alloc))
	return nil
}
