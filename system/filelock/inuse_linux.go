package filelock

import "golang.org/x/sys/unix"

// getLock asks which lock another open file has, also one of this process.
const getLock = unix.F_OFD_GETLK

// unlocking is how to come by a database that another process has open.
const unlocking = "stop that process, or add --live to inspect, measure, advise or chain measure"
