package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// message is the payload of a frame.
type message interface {
	// fields encodes or decodes the fields in their order. Decoded fields alias the payload.
	fields(*coder)
}

// encode appends a message to b.
func encode(b []byte, m message) []byte {
	c := coder{data: b}
	m.fields(&c)
	return c.data
}

func decode(payload []byte, m message) error {
	c := coder{data: payload, decoding: true}
	m.fields(&c)
	if c.err == nil && len(c.data) > 0 {
		return fmt.Errorf("%d bytes follow its end", len(c.data))
	}
	return c.err
}

// coder encodes fields or decodes them, so that a message lists its fields only once.
//
// Numbers are little-endian. Text and bytes are a length (4 bytes) and the contents; a list
// is a number of items (4 bytes) and the items; a boolean is one byte, 0 or 1.
type coder struct {
	decoding bool
	data     []byte // the payload so far or, while decoding, the rest of it
	err      error  // of decoding; fields after it mean nothing
}

var errShort = errors.New("it ends too early")

// fail ends decoding. What this end encodes is for the other end to judge.
func (c *coder) fail(err error) {
	if !c.decoding {
		return
	}
	if c.err == nil {
		c.err = err
	}
	c.data = nil
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

func (c *coder) u8(v *uint8) {
	if !c.decoding {
		c.data = append(c.data, *v)
	} else if b := c.take(1); b != nil {
		*v = b[0]
	}
}

func (c *coder) u32(v *uint32) {
	if !c.decoding {
		c.data = binary.LittleEndian.AppendUint32(c.data, *v)
	} else if b := c.take(4); b != nil {
		*v = binary.LittleEndian.Uint32(b)
	}
}

func (c *coder) u64(v *uint64) {
	if !c.decoding {
		c.data = binary.LittleEndian.AppendUint64(c.data, *v)
	} else if b := c.take(8); b != nil {
		*v = binary.LittleEndian.Uint64(b)
	}
}

// f64 refuses infinities and NaN, which have no meaning here.
func (c *coder) f64(v *float64) {
	bits := math.Float64bits(*v)
	c.u64(&bits)
	*v = math.Float64frombits(bits)
	if math.IsInf(*v, 0) || math.IsNaN(*v) {
		c.fail(errors.New("a number is not finite"))
	}
}

func (c *coder) bool(v *bool) {
	n := uint8(0)
	if *v {
		n = 1
	}
	c.u8(&n)
	if n > 1 {
		c.fail(fmt.Errorf("a boolean is %d, not 0 or 1", n))
	}
	*v = n == 1
}

func (c *coder) bytes(v *[]byte) {
	n := uint32(len(*v))
	c.u32(&n)
	if c.decoding {
		*v = c.take(n)
	} else {
		c.data = append(c.data, *v...)
	}
}

// root codes bytes that survive the reuse of the frame's buffer.
func (c *coder) root(v *[]byte) {
	if c.bytes(v); c.decoding {
		*v = append([]byte(nil), *v...)
	}
}

func (c *coder) text(v *string) {
	b := []byte(*v)
	c.bytes(&b)
	if !utf8.Valid(b) {
		c.fail(errors.New("a text is not UTF-8"))
		b = nil
	}
	*v = string(b)
}

// list codes items of at least least bytes each. A false number of items therefore takes no
// more memory than the payload.
func list[T any](c *coder, items *[]T, least int, one func(*coder, *T)) {
	n := uint32(len(*items))
	c.u32(&n)
	if c.decoding {
		if uint64(n) > uint64(len(c.data)/least) {
			c.fail(errShort)
			n = 0
		}
		*items = slices.Grow((*items)[:0], int(n))[:n]
	}
	for i := range *items {
		one(c, &(*items)[i])
	}
}
