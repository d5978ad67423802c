//go:build cgo

package main

/*
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int stdout_closed;

// Go's runtime reserves 600 MiB of address space before its first instruction of Go, and its out-of-memory error is a
// traceback. It opens /dev/null in place of a standard output that is closed. So both are looked at before it starts.
__attribute__((constructor)) static void look(void) {
	const rlim_t least = (rlim_t)2 << 30;
	struct rlimit space;
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur < least) {
		fprintf(stderr, "getio: the limit of address space is %llu KiB: raise it to %llu KiB or more with ulimit -v\n",
			(unsigned long long)space.rlim_cur >> 10, (unsigned long long)least >> 10);
		_exit(1);
	}
	stdout_closed = fcntl(STDOUT_FILENO, F_GETFD) == -1;
}

static int is_stdout_closed(void) { return stdout_closed; }
*/
import "C"

// stdoutClosed reports whether the program was started without a standard output.
func stdoutClosed() bool { return C.is_stdout_closed() != 0 }
