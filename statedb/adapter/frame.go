// Package adapter is a protocol to measure a store in any language as a child process:
// frames over the child's standard input and output, and both ends of them. statedb/adapter/protocol.md
// describes it for authors of adapters.
//
// Start and Client are getio's end; Serve is the other end, for adapters in Go.
package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"unicode/utf8"
)

// Kind is the kind of a frame. An answer has the kind of its request with the highest bit set.
type Kind uint8

// Requests, in the order of a session.
const (
	KindHello Kind = 1 + iota
	KindOpen
	KindLoad
	KindCommit
	KindGet
	KindCheck
	KindStats
	KindDropCaches
	KindQuiesce
	KindClose
)

// Frames that an adapter may send instead of the answer, or before it.
const (
	kindAnswer  Kind = 0x80
	kindWorking Kind = 0xfe // the request is in progress and the answer follows
	kindFailed  Kind = 0xff // the answer to a request that failed
)

var kindNames = map[Kind]string{
	KindHello: "hello", KindOpen: "open", KindLoad: "load", KindCommit: "commit", KindGet: "get", KindCheck: "check",
	KindStats: "stats", KindDropCaches: "drop caches", KindQuiesce: "quiesce", KindClose: "close",
}

// String returns the name of the request, for its answer too.
func (k Kind) String() string {
	if name, ok := kindNames[k&^kindAnswer]; ok {
		return name
	}
	return fmt.Sprintf("kind %#02x", uint8(k))
}

// A frame is a length (4 bytes, little-endian), a kind (1 byte) and a payload. The length
// counts kind and payload.
const lengthSize = 4

// errTooLarge is the error for a length above MaxFrame.
type errTooLarge uint32

// Error recognises text, whose first letters would be the length.
func (e errTooLarge) Error() string {
	text := string(binary.LittleEndian.AppendUint32(nil, uint32(e)))
	for _, r := range text {
		if r != '\n' && (r < ' ' || r > '~') {
			return fmt.Sprintf("a frame of %d bytes, and the largest has %d", uint32(e), MaxFrame)
		}
	}
	return fmt.Sprintf("text that begins with %q, and text belongs on standard error", text)
}

// errEmpty is the error for a frame without a kind.
var errEmpty = errors.New("a frame of 0 bytes, which has no kind")

// frame is a frame being written or read. Its buffer is reused.
type frame struct{ buf []byte }

// begin starts a frame; append the payload to its result.
func (f *frame) begin(kind Kind) []byte {
	f.buf = append(f.buf[:0], 0, 0, 0, 0, byte(kind))
	return f.buf
}

// write sends a frame in one piece.
func (f *frame) write(w io.Writer, whole []byte) error {
	f.buf = whole
	length := len(whole) - lengthSize
	if length > MaxFrame {
		return errTooLarge(min(length, 1<<32-1))
	}
	binary.LittleEndian.PutUint32(whole, uint32(length))
	_, err := w.Write(whole)
	return err
}

// growBy limits how far a buffer grows ahead of the bytes received, because a length may be false.
const growBy = 1 << 20

// read receives a frame. The payload is valid until the next read. The error is io.EOF only
// if no byte came.
func (f *frame) read(r io.Reader) (Kind, []byte, error) {
	var head [lengthSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	switch {
	case length == 0:
		return 0, nil, errEmpty
	case length > MaxFrame:
		return 0, nil, errTooLarge(length)
	}
	f.buf = f.buf[:0]
	for have := 0; have < int(length); have = len(f.buf) {
		next := min(int(length), max(cap(f.buf), have+growBy))
		f.buf = append(f.buf, make([]byte, next-have)...)
		if _, err := io.ReadFull(r, f.buf[have:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, nil, err
		}
	}
	return Kind(f.buf[0]), f.buf[1:], nil
}

// Version is the version of the protocol. Both ends must use the same.
const Version = 1

// MaxFrame is the largest size of a frame without its length, in bytes.
const MaxFrame = 64 << 20

// encode appends a message to b. A message is the address of a value; the fields of a struct follow one another.
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
