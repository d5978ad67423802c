package published

import (
	"slices"
	"strings"
)

// Claim is a published claim about the reads per lookup of a store design.
type Claim struct {
	Stores []string // names of the engines and adapters with this design; may be empty
	Design string
	Reads  string // in the words of the claim
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

// ClaimFor returns the claim for a store, if there is one.
func ClaimFor(store string) (claim Claim, ok bool, err error) {
	all, err := readClaims()
	i := slices.IndexFunc(all, func(c Claim) bool { return slices.Contains(c.Stores, store) })
	if err != nil || i < 0 {
		return Claim{}, false, err
	}
	return all[i], true, nil
}
