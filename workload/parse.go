package workload

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"getio/numbers/units"
	"getio/workload/popularity"
)

// ParseHotset parses a share of the keys and their share of the Gets, such as 1%:90%.
func ParseHotset(s string) (h popularity.Hotset, err error) {
	keys, gets, _ := strings.Cut(s, ":")
	h.Keys, err = units.ParseShare(keys)
	if err == nil {
		h.Gets, err = units.ParseShare(gets)
	}
	if err != nil {
		return h, errors.New("want a share of the keys and their share of the Gets, such as 1%:90%")
	}
	if h.Keys == 0 {
		return h, errors.New("want more than 0% of the keys")
	}
	return h, popularity.Popularity{Hotset: h}.Check()
}

// ParseAbsent parses the share of Gets of absent keys. A small number without a per cent sign may be
// a fraction, and is refused.
func ParseAbsent(s string) (float64, error) {
	digits := strings.TrimSuffix(s, "%")
	p, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil || !(p >= 0 && p <= 100):
		return 0, errors.New("want a share such as 10%, from 0% to 100%")
	case digits == s && p > 0 && p < 1:
		return 0, fmt.Errorf("want %s%% or %g%%: say which", digits, 100*p)
	}
	return p / 100, nil
}
