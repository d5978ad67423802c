package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"getio/system/subprocess"
)

// canRunSlurm reports why a cluster cannot be run here.
func canRunSlurm() error {
	if os.Getuid() != 0 {
		return errors.New("its daemons need root")
	}
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(program); err != nil {
			return err
		}
	}
	return nil
}

// slurmConfig configures a cluster of two nodes on this machine, with two processors each; see slurm.conf(5).
const slurmConfig = `ClusterName=getio
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=%[2]d
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=%[1]s/munge.socket
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/spool-%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/slurmd-%%n.pid
SlurmctldLogFile=%[1]s/slurmctld.log
SlurmdLogFile=%[1]s/slurmd-%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n[1-2] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[%[3]d-%[4]d] CPUs=2 RealMemory=4000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// scriptSlurm starts a cluster, which ends with the script. $SLURM_SCRIPTS is the directory of the scripts that
// submit to it.
func scriptSlurm(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := os.MkdirTemp("", "getio-slurm-") // a socket's path must be short
	ts.Check(err)
	ts.Defer(func() { os.RemoveAll(dir) })
	ports := freePorts(ts)
	config := filepath.Join(dir, "slurm.conf")
	ts.Check(os.WriteFile(config, fmt.Appendf(nil, slurmConfig, dir, ports, ports+1, ports+2), 0o644))
	ts.Check(os.Mkdir(filepath.Join(dir, "state"), 0o755))
	ts.Check(os.Chmod(dir, 0o755)) // munged requires it
	key := make([]byte, 128)
	rand.Read(key)
	ts.Check(os.WriteFile(filepath.Join(dir, "munge.key"), key, 0o400))
	ts.Setenv("SLURM_CONF", config)
	scripts, err := filepath.Abs("../../experiment/schedulers/slurm")
	ts.Check(err)
	ts.Setenv("SLURM_SCRIPTS", scripts)

	in := func(file string) string { return filepath.Join(dir, file) }
	startDaemon(ts, "munged", "--foreground", "--force", "--key-file="+in("munge.key"), "--socket="+in("munge.socket"),
		"--pid-file="+in("munged.pid"), "--log-file="+in("munged.log"), "--seed-file="+in("munge.seed"))
	waitFor(ts, "munged", func() bool { _, err := os.Stat(in("munge.socket")); return err == nil })
	startDaemon(ts, "slurmctld", "-D", "-i", "-f", config)
	startDaemon(ts, "slurmd", "-D", "-f", config, "-N", "n1")
	startDaemon(ts, "slurmd", "-D", "-f", config, "-N", "n2")
	waitFor(ts, "two idle nodes", func() bool {
		sinfo := exec.Command("sinfo", "--noheader", "--states=idle", "--format=%D")
		sinfo.Env = append(os.Environ(), "SLURM_CONF="+config)
		out, err := sinfo.Output()
		return err == nil && strings.TrimSpace(string(out)) == "2"
	})
}

// freePorts returns the first of three ports in a row that nobody uses.
func freePorts(ts *testscript.TestScript) int {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		first := l.Addr().(*net.TCPAddr).Port
		free := true
		for port := first + 1; port < first+3; port++ {
			next, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if free = free && err == nil; err == nil {
				next.Close()
			}
		}
		l.Close()
		if free {
			return first
		}
	}
	ts.Fatalf("no three free ports in a row")
	return 0
}

// startDaemon starts a program that is killed, with all that it has started, when the script ends.
func startDaemon(ts *testscript.TestScript, name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "SLURM_CONF="+ts.Getenv("SLURM_CONF"), "PATH="+ts.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	subprocess.EndWithParent(cmd)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
}

func waitFor(ts *testscript.TestScript, what string, there func() bool) {
	for end := time.Now().Add(momentLimit); !there(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("there is no %s", what)
		}
	}
}
