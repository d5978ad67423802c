package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// Numbers are little-endian. Text and bytes are a length (4 bytes) and the contents; a list
// is a number of items (4 bytes) and the items; a boolean is one byte, 0 or 1.

func appendU32(b []byte, v uint32) []byte  { return binary.LittleEndian.AppendUint32(b, v) }
func appendU64(b []byte, v uint64) []byte  { return binary.LittleEndian.AppendUint64(b, v) }
func appendF64(b []byte, v float64) []byte { return appendU64(b, math.Float64bits(v)) }
func appendBytes(b, v []byte) []byte       { return append(appendU32(b, uint32(len(v))), v...) }
func appendText(b []byte, v string) []byte { return append(appendU32(b, uint32(len(v))), v...) }

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

func appendList[T any](b []byte, items []T, one func([]byte, T) []byte) []byte {
	b = appendU32(b, uint32(len(items)))
	for _, item := range items {
		b = one(b, item)
	}
	return b
}

// decoder decodes a payload. After an error, everything it returns is empty.
type decoder struct {
	rest []byte
	err  error
}

var errShort = errors.New("it ends too early")

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.rest = nil
}

// take returns the next n bytes, which alias the payload.
func (d *decoder) take(n int) []byte {
	if d.err != nil || n > len(d.rest) {
		d.fail(errShort)
		return nil
	}
	taken := d.rest[:n:n]
	d.rest = d.rest[n:]
	return taken
}

func (d *decoder) u8() uint8 {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) u32() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) u64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// f64 refuses infinities and NaN, which have no meaning here.
func (d *decoder) f64() float64 {
	v := math.Float64frombits(d.u64())
	if math.IsInf(v, 0) || math.IsNaN(v) {
		d.fail(errors.New("a number is not finite"))
		return 0
	}
	return v
}

func (d *decoder) bool() bool {
	v := d.u8()
	if v > 1 {
		d.fail(fmt.Errorf("a boolean is %d, not 0 or 1", v))
	}
	return v == 1
}

func (d *decoder) bytes() []byte {
	n := d.u32()
	if uint64(n) > uint64(len(d.rest)) {
		d.fail(errShort)
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) text() string {
	b := d.bytes()
	if !utf8.Valid(b) {
		d.fail(errors.New("a text is not UTF-8"))
		return ""
	}
	return string(b)
}

// list decodes items of at least least bytes each. A false number of items therefore takes
// no more memory than the payload.
func list[T any](d *decoder, into []T, least int, one func(*decoder) T) []T {
	n := int(d.u32())
	if n > len(d.rest)/least {
		d.fail(errShort)
		return into[:0]
	}
	into = into[:0]
	for range n {
		into = append(into, one(d))
	}
	return into
}

// finish returns the error of the payload, if any.
func (d *decoder) finish() error {
	if d.err == nil && len(d.rest) > 0 {
		return fmt.Errorf("%d bytes follow its end", len(d.rest))
	}
	return d.err
}
