package counter

import "errors"

// ErrRoot is the error for processes that may not make disks and control groups.
var ErrRoot = errors.New("counting from outside needs a private disk and a control group, which only root with CAP_SYS_ADMIN can make: run as root (in a container with --privileged), or use what the engines count themselves")
