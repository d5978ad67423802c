//go:build cgo && linux

package machine

/*
#include <malloc.h>

// Runs before Go does, whose first threads would have arenas already.
static void __attribute__((constructor)) one_arena(void) {
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, 1);
#endif
}
*/
import "C"

// memoryPerByte is the memory that a byte of a full block cache takes: with what
// the library keeps of each block, and what its allocator wastes. The libraries
// keep blocks in memory of the C library, which by default has eight arenas for
// each processor, and a block that is evicted leaves a hole in whichever it came
// from: that takes 1.9 for 64 readers on two processors. Measured up to 18,000 MiB.
const memoryPerByte = 1.25
