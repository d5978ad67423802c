package watch

import (
	"math"
	"os"

	"getio/watch/probe"
)

// ahead knows what was fetched from devices into the page cache ahead of the reads of it, by a prefetch or
// by the kernel's readahead, and was not read since. Where the kernel does not say which pages it fetched,
// they are taken for the next ones that had not been.
type ahead struct {
	files map[file]*aheadIn
}

type file struct{ device, inode uint64 }

// aheadIn is what was fetched ahead in one file, in whole pages.
type aheadIn struct {
	spans []span
	last  int64 // end of the last page that was read, which is in the page cache
}

// span is a range of bytes of a file.
type span struct{ from, to int64 }

const (
	// mostSpans bounds the spans of a file, and mostAhead the files: tables are deleted without notice.
	mostSpans = 64
	mostAhead = 1 << 14
)

// take notes what a read or prefetch has fetched ahead, and reports whether any of its own pages had been.
func (a *ahead) take(r *probe.Read) (was bool) {
	if r.Offset < 0 {
		return false
	}
	id, page := file{r.Folder.Device, r.Inode}, int64(os.Getpagesize())
	in := a.files[id]
	if in == nil {
		if a.files == nil || len(a.files) >= mostAhead {
			a.files = map[file]*aheadIn{}
		}
		in = &aheadIn{}
		a.files[id] = in
	}
	own := span{r.Offset / page * page, (r.Offset + r.Length + page - 1) / page * page}
	if r.Prefetch {
		in.fill(own, r.DeviceBytes)
		return false
	}
	covered := in.consume(own)
	needed := own.to - own.from - covered
	if covered < own.to-own.from && in.last == own.from+page {
		needed -= page
	}
	in.last = own.to
	if r.DeviceBytes > needed {
		in.fill(span{own.to, math.MaxInt64}, r.DeviceBytes-max(needed, 0))
	}
	return covered > 0
}

// consume takes a range out of the spans, and returns how many bytes of it they held.
func (a *aheadIn) consume(own span) (covered int64) {
	left := a.spans[:0:0]
	for _, s := range a.spans {
		if s.to <= own.from || s.from >= own.to {
			left = append(left, s)
			continue
		}
		covered += min(s.to, own.to) - max(s.from, own.from)
		if s.from < own.from {
			left = append(left, span{s.from, own.from})
		}
		if s.to > own.to {
			left = append(left, span{own.to, s.to})
		}
	}
	if covered > 0 {
		a.spans = left
	}
	return covered
}

// fill adds so many bytes to the spans, from the beginning of a range on where there are none.
func (a *aheadIn) fill(within span, bytes int64) {
	for at := within.from; bytes > 0 && at < within.to; {
		next := min(within.to, at+bytes)
		held := false
		for _, s := range a.spans {
			if s.from <= at && at < s.to {
				at, held = s.to, true
				break
			}
			if at < s.from {
				next = min(next, s.from)
			}
		}
		if held {
			continue
		}
		a.spans = append(a.spans, span{at, next})
		bytes -= next - at
		at = next
	}
	a.spans = a.spans[max(0, len(a.spans)-mostSpans):]
}
