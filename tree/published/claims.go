package published

import (
	"slices"
	"strings"
)

// Claim is what is claimed of the reads that one value costs in a design of stores.
type Claim struct {
	Stores []string // by the names of their engines and adapters; none of a design that none of these has
	Design string
	Reads  string // as it is claimed
}

// readClaims reads claims.csv.
func readClaims() (all []Claim, err error) {
	lines, err := parse("claims.csv", claims)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		all = append(all, Claim{strings.Fields(line["stores"]), line["design"], line["claim"]})
	}
	return all, nil
}

// ClaimFor is the claim for a store, if there is one.
func ClaimFor(store string) (claim Claim, ok bool, err error) {
	all, err := readClaims()
	i := slices.IndexFunc(all, func(c Claim) bool { return slices.Contains(c.Stores, store) })
	if err != nil || i < 0 {
		return Claim{}, false, err
	}
	return all[i], true, nil
}
