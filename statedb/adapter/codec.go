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
	case reflect.Bool:
		c.bool(at.(*bool))
	case reflect.Float64:
		c.f64(at.(*float64))
	default:
		n := v.Uint()
		c.number(&n, uint32(v.Type().Size()))
		v.SetUint(n)
	}
	if checked, ok := at.(interface{ check() error }); ok && c.err == nil {
		if err := checked.check(); err != nil {
			c.fail(err)
		}
	}
}

// number codes a number of so many bytes.
func (c *coder) number(n *uint64, size uint32) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], *n)
	if !c.decoding {
		c.data = append(c.data, word[:size]...)
		return
	}
	word = [8]byte{}
	copy(word[:], c.take(size))
	*n = binary.LittleEndian.Uint64(word[:])
}

// length codes the length of what follows.
func (c *coder) length(of int) uint32 {
	n := uint64(of)
	c.number(&n, 4)
	return uint32(n)
}

// f64 refuses infinities and NaN, which have no meaning here.
func (c *coder) f64(v *float64) {
	bits := math.Float64bits(*v)
	c.number(&bits, 8)
	*v = math.Float64frombits(bits)
	if math.IsInf(*v, 0) || math.IsNaN(*v) {
		c.fail(errors.New("a number is not finite"))
	}
}

func (c *coder) bool(v *bool) {
	n := uint64(0)
	if *v {
		n = 1
	}
	c.number(&n, 1)
	if n > 1 {
		c.fail(fmt.Errorf("a boolean is %d, not 0 or 1", n))
	}
	*v = n == 1
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
