// Package adapter is a protocol to measure a store in any language as a child process:
// frames over the child's standard input and output, and both ends of them. statedb/adapter/protocol.md
// describes it for authors of adapters.
//
// Start and Client are getio's end; Serve is the other end, for adapters in Go.
package adapter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	body := bytes.NewBuffer(f.buf[:0]) // grows with the bytes received, because a length may be false
	_, err := io.CopyN(body, r, int64(length))
	f.buf = body.Bytes()
	switch err {
	case nil:
		return Kind(f.buf[0]), f.buf[1:], nil
	case io.EOF:
		err = io.ErrUnexpectedEOF
	}
	return 0, nil, err
}

// Version is the version of the protocol. Both ends must use the same.
const Version = 1

// MaxFrame is the largest size of a frame without its length, in bytes.
const MaxFrame = 64 << 20
