package ondisk

import (
	"encoding/binary"
	"errors"
)

// Fields decodes the fields of a record of a MANIFEST or a write-ahead log: numbers, which are varints, and bytes, which
// follow their number. After an error all are zero.
type Fields struct {
	Rest []byte
	Err  error
}

var errShort = errors.New("it has a record that ends early")

// Fail ends the record with an error, unless it has ended with one.
func (f *Fields) Fail(err error) {
	if f.Err == nil {
		f.Rest, f.Err = nil, err
	}
}

// Number decodes a number.
func (f *Fields) Number() uint64 {
	x, n := binary.Uvarint(f.Rest)
	if n <= 0 {
		f.Fail(errShort)
		return 0
	}
	f.Rest = f.Rest[n:]
	return x
}

// Bytes decodes bytes, which are a part of the record.
func (f *Fields) Bytes() []byte {
	n := f.Number()
	if n > uint64(len(f.Rest)) {
		f.Fail(errShort)
		return nil
	}
	b := f.Rest[:n]
	f.Rest = f.Rest[n:]
	return b
}
