package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"
)

// encode appends a message to b. A message is the address of a struct, whose fields follow one another.
func encode(b []byte, message any) []byte {
	c := coder{data: b}
	c.value(reflect.ValueOf(message).Elem())
	return c.data
}

// decode decodes a message. Decoded bytes alias the payload.
func decode(payload []byte, message any) error {
	c := coder{data: payload, decoding: true}
	c.value(reflect.ValueOf(message).Elem())
	switch {
	case c.err == errOtherVersion: // whose other fields may differ
		return nil
	case c.err == nil && len(c.data) > 0:
		return fmt.Errorf("%d bytes follow its end", len(c.data))
	}
	return c.err
}

// coder encodes values or decodes them.
//
// Numbers are little-endian. Text and bytes are a length (4 bytes) and the contents; a list
// is a number of items (4 bytes) and the items; a boolean is one byte, 0 or 1.
type coder struct {
	decoding bool
	data     []byte // the payload so far or, while decoding, the rest of it
	err      error  // of decoding; values after it mean nothing
}

var errShort = errors.New("it ends too early")

// fail ends decoding. What this end encodes is for the other end to judge.
func (c *coder) fail(err error) {
	if c.decoding && c.err == nil {
		c.err, c.data = err, nil
	}
}

// take returns the next n bytes of the payload.
func (c *coder) take(n uint32) []byte {
	if c.err != nil || uint64(n) > uint64(len(c.data)) {
		c.fail(errShort)
		return nil
	}
	taken := c.data[:n:n]
	c.data = c.data[n:]
	return taken
}

// value codes a value. If its type has a method check, that looks at what was decoded.
func (c *coder) value(v reflect.Value) {
	at := v.Addr().Interface()
	switch at := at.(type) {
	case *getioVersion:
		c.greeting("getio")
	case *adapterVersion:
		c.greeting("an adapter")
	case *[]byte:
		c.bytes(at)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			c.value(v.Field(i))
		}
	case reflect.Slice:
		c.list(v)
	case reflect.String:
		c.text(at.(*string))
	default:
		c.fixed(at)
	}
	if checked, ok := at.(interface{ check() error }); ok && c.err == nil {
		if err := checked.check(); err != nil {
			c.fail(err)
		}
	}
}

// fixed codes a number or a boolean. It refuses infinities and NaN, which have no meaning here.
func (c *coder) fixed(at any) {
	if !c.decoding {
		c.data, _ = binary.Append(c.data, binary.LittleEndian, at)
		return
	}
	b := c.take(uint32(binary.Size(at)))
	if b == nil {
		return
	}
	_, _ = binary.Decode(b, binary.LittleEndian, at)
	switch v := at.(type) {
	case *bool:
		if b[0] > 1 {
			c.fail(fmt.Errorf("a boolean is %d, not 0 or 1", b[0]))
		}
	case *float64:
		if math.IsInf(*v, 0) || math.IsNaN(*v) {
			c.fail(errors.New("a number is not finite"))
		}
	}
}

// length codes the length of what follows.
func (c *coder) length(of int) uint32 {
	if !c.decoding {
		c.data = binary.LittleEndian.AppendUint32(c.data, uint32(of))
	} else if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *coder) bytes(v *[]byte) {
	if n := c.length(len(*v)); c.decoding {
		*v = c.take(n)
	} else {
		c.data = append(c.data, *v...)
	}
}

func (c *coder) text(v *string) {
	b := []byte(*v)
	c.bytes(&b)
	if !utf8.Valid(b) {
		c.fail(errors.New("a text is not UTF-8"))
	}
	*v = string(b)
}

// list codes the items of a slice. A false number of them takes no more memory than the payload.
func (c *coder) list(v reflect.Value) {
	if n := c.length(v.Len()); c.decoding {
		if uint64(n) > uint64(len(c.data)/least(v.Type().Elem())) {
			c.fail(errShort)
			n = 0
		}
		v.SetLen(0)
		v.Grow(int(n))
		v.SetLen(int(n))
	}
	for i := range v.Len() {
		c.value(v.Index(i))
	}
}

// least returns the least size of an encoded value of a type, in bytes.
func least(t reflect.Type) (bytes int) {
	switch t.Kind() {
	case reflect.Slice, reflect.String:
		return 4
	case reflect.Struct:
		for i := range t.NumField() {
			bytes += least(t.Field(i).Type)
		}
		return bytes
	}
	return int(t.Size())
}
