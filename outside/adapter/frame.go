package adapter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kind says what a frame is. Answers have the kind of their request with the
// highest bit set.
type Kind uint8

// Requests, in the order in which a session has them.
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

// What an adapter may send instead of the answer, or before it.
const (
	kindAnswer  Kind = 0x80
	kindWorking Kind = 0xfe // the request is being worked on; the answer is still to come
	kindFailed  Kind = 0xff // the answer to a request that failed
)

var kindNames = map[Kind]string{
	KindHello: "hello", KindOpen: "open", KindLoad: "load", KindCommit: "commit", KindGet: "get", KindCheck: "check",
	KindStats: "stats", KindDropCaches: "drop caches", KindQuiesce: "quiesce", KindClose: "close",
}

// String is the request's name, also of its answer.
func (k Kind) String() string {
	if name, ok := kindNames[k&^kindAnswer]; ok {
		return name
	}
	return fmt.Sprintf("kind %#02x", uint8(k))
}

// A frame is its length in four bytes, least first, of what follows: one byte of
// kind, and the payload.
const (
	lengthSize = 4
	headSize   = lengthSize + 1
)

// errTooLarge is the error for a frame of a length that none may have.
type errTooLarge uint32

// Error tells text from a frame: four letters or so in place of a length are
// something that was printed.
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

// frame is one frame as it is written or read; its buffer is used again.
type frame struct{ buf []byte }

// begin empties the frame, for a payload to be appended to.
func (f *frame) begin(kind Kind) []byte {
	f.buf = append(f.buf[:0], 0, 0, 0, 0, byte(kind))
	return f.buf
}

// write sends what was appended to begin's result, in one piece.
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

// growBy bounds how far a buffer runs ahead of what has really come: a length is
// only a claim.
const growBy = 1 << 20

// read receives one frame. Its payload is good until the next one. The error is
// io.EOF only if no byte came.
func (f *frame) read(r io.Reader) (Kind, []byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:lengthSize]); err != nil {
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
