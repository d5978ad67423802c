//go:build linux

package filecalls

import "golang.org/x/sys/unix"

func init() {
	forms[unix.SYS_OPEN] = onPath(Open)
	forms[unix.SYS_RENAME] = fromTo(Rename, false)
	forms[unix.SYS_LINK] = fromTo(Link, false)
	forms[unix.SYS_MKDIR] = onPath(MakeDir)
	forms[unix.SYS_UNLINK] = onPath(Remove)
	forms[unix.SYS_RMDIR], rmdirNumber = onPath(Remove), unix.SYS_RMDIR
	forms[unix.SYS_STAT] = onPath(Stat)
	forms[unix.SYS_LSTAT] = onPath(Stat)
	forms[unix.SYS_NEWFSTATAT] = onPathAt(Stat)
}
