package dataset

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
)

// AccountSize is the bytes of an account as the chain encodes it, if its nonce and balance have
// their full width: an RLP list of nonce (8 bytes), balance (32), storage root (32) and code
// hash (32), each after one byte with its length, and two bytes for the list's.
const AccountSize = 110

// Offsets in an account.
const (
	accountNonce   = 3
	accountBalance = accountNonce + 8 + 1
	accountStorage = accountBalance + 32 + 1
	accountCode    = accountStorage + 32 + 1
)

// accountForm is an account whose free bytes are 0. Its storage root is that of an account without
// storage: the Keccak-256 hash of the RLP of an empty string.
var accountForm = func() (form [AccountSize]byte) {
	form[0], form[1] = 0xf8, AccountSize-2
	form[accountNonce-1] = 0x80 + 8
	for _, at := range []int{accountBalance, accountStorage, accountCode} {
		form[at-1] = 0x80 + 32
	}
	_, err := hex.Decode(form[accountStorage:], []byte("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"))
	if err != nil {
		panic(err)
	}
	return form
}()

// accounts gives every key an account with random nonce, balance and code hash in every round.
type accounts struct{ random stream }

func (a accounts) Updated(i, round uint64, dst []byte) []byte {
	start := mix64(a.random.word(i) ^ mix64(round))
	dst = append(slices.Grow(dst[:0], AccountSize), accountForm[:]...)
	fill(dst[accountCode:], start)
	fill(dst[accountNonce:accountBalance-1], mix64(start+1))
	fill(dst[accountBalance:accountStorage-1], mix64(start+2))
	dst[accountNonce] |= 1 // RLP has numbers without leading zeros
	dst[accountBalance] |= 1
	return dst
}

func (a accounts) is(i, round uint64, value []byte) bool {
	var want [AccountSize]byte
	return bytes.Equal(value, a.Updated(i, round, want[:0]))
}

func (accounts) distinct() uint64 { return math.MaxUint64 }
