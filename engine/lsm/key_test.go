package lsm

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeyTextIsLowerCaseHexadecimal(t *testing.T) {
	text, err := Key{0x00, 0xAB, 0xff}.MarshalText()
	if err != nil || string(text) != "00abff" {
		t.Errorf("%s, %v", text, err)
	}
	var k Key
	if err := k.UnmarshalText([]byte("00ABff")); err != nil || !bytes.Equal(k, []byte{0, 0xab, 0xff}) {
		t.Errorf("%x, %v", []byte(k), err)
	}
}

func TestKeyRejectsInvalidHexadecimal(t *testing.T) {
	for _, text := range []string{"0", "xy", "0x00", "00 ", "é"} {
		k := Key("before")
		if err := k.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was parsed as %x", text, []byte(k))
		} else if string(k) != "before" {
			t.Errorf("%q changed the key to %x", text, []byte(k))
		}
	}
}

func FuzzKeyRoundTrip(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("key"))
	f.Add([]byte{0, 0xff, '"', '\n'})
	f.Fuzz(func(t *testing.T, key []byte) {
		text, err := json.Marshal(Key(key))
		require.NoError(t, err)
		var again Key
		require.NoError(t, json.Unmarshal(text, &again))
		if !bytes.Equal(key, again) {
			t.Errorf("%x round-trips as %x", key, []byte(again))
		}
	})
}

func FuzzKeyTextNeverLies(f *testing.F) {
	f.Add("00ff")
	f.Add("0g")
	f.Fuzz(func(t *testing.T, text string) {
		var k Key
		if k.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := k.MarshalText()
		if err != nil || !bytes.EqualFold(again, []byte(text)) {
			t.Errorf("%q was parsed as %s", text, again)
		}
	})
}
