package lsm

import (
	"encoding/hex"
	"fmt"
)

// Key is a user key. As text it is lower-case hexadecimal.
type Key []byte

func (k Key) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, k), nil
}

func (k *Key) UnmarshalText(text []byte) error {
	b, err := hex.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("key %q is not hexadecimal: %w", text, err)
	}
	*k = b
	return nil
}
