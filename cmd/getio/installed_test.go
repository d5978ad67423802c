package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"getio/cmd/flagvalue"
)

// complete returns what completion offers for the last of args, and cobra's directive to the shell.
func complete(t *testing.T, args ...string) (offered []string, directive string) {
	t.Helper()
	var out bytes.Buffer
	require.Zero(t, run(append([]string{"getio", cobra.ShellCompRequestCmd}, args...), nil, &out, new(bytes.Buffer)), args)
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		offered = append(offered, word)
	}
	return offered, lines[len(lines)-1]
}

var (
	completesDirs    = fmt.Sprintf(":%d", cobra.ShellCompDirectiveFilterDirs)
	completesNothing = fmt.Sprintf(":%d", cobra.ShellCompDirectiveNoFileComp)
)

// wantedWords are the words that the error of a flag says it wants, such as "want keep, cold or bypass".
var wantedWords = regexp.MustCompile(`want ([a-zA-Z0-9-]+(?:, [a-zA-Z0-9-]+)* or [a-zA-Z0-9-]+)$`)

// TestFlagsComplete compares what completion offers for the flags of all commands with what the flags
// accept: each word that is offered, and no fewer words than the error for another one names.
func TestFlagsComplete(t *testing.T) {
	choices := 0
	root := rootCommand()
	completeFlags(root, []string{cobra.ShellCompRequestCmd})
	everyCommand(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name := c.CommandPath() + " --" + f.Name
			if f.Value.Type() == "bool" {
				return
			}
			completes, registered := c.GetFlagCompletionFunc(f.Name)
			if !registered { // a type of pflag's own
				_, directive := complete(t, append(strings.Fields(name)[1:], "")...)
				require.Equal(t, completesNothing, directive, name)
				return
			}
			offered, directive := completes(c, nil, "")
			switch f.Value.Type() {
			case flagvalue.KindDir:
				assert.Equal(t, cobra.ShellCompDirectiveFilterDirs, directive, name)
			case flagvalue.KindFile:
				assert.Equal(t, cobra.ShellCompDirectiveDefault, directive, name)
			default:
				assert.NotZero(t, directive&cobra.ShellCompDirectiveNoFileComp, name)
			}
			for _, word := range offered {
				assert.NoError(t, f.Value.Set(word), "%s %s", name, word)
			}
			if err := f.Value.Set("no such word"); err != nil {
				if m := wantedWords.FindStringSubmatch(err.Error()); m != nil {
					choices++
					assert.Equal(t, strings.Split(strings.Replace(m[1], " or ", ", ", 1), ", "), offered, name)
				}
			}
		})
	})
	assert.GreaterOrEqual(t, choices, 6, "flags that take one of some words")
	for args, want := range map[string][]string{
		"measure --engine":  {"pebblev2", "pebblev1", "goleveldb", "rocksdb"},
		"load --keyspace":   {"keccak", "stratified"},
		"load --order":      {"random", "sequential"},
		"load --values":     {"pool32", "random", "accounts"},
		"report --format":   {"md", "html", "svg", "png", "pdf", "csv", "benchfmt"},
		"predict --dataset": {"small", "medium", "large", "mainnet"},
	} {
		offered, _ := complete(t, append(strings.Fields(args), "")...)
		assert.Equal(t, want, offered, args)
	}
	presets, _ := complete(t, "inspect", "--preset", "")
	assert.Subset(t, presets, []string{"geth", "geth-v1", "leveldb", "bench_kvdb"})
}

// TestDirectoriesComplete checks that the argument DIR of every command that has one completes
// directories, and that a second one completes directories only where several are taken.
func TestDirectoriesComplete(t *testing.T) {
	found := 0
	everyCommand(rootCommand(), func(c *cobra.Command) {
		if !regexp.MustCompile(`^\S+ \[?DIR`).MatchString(c.Use) {
			return
		}
		found++
		path := strings.Fields(c.CommandPath())[1:]
		_, directive := complete(t, append(path, "")...)
		if c.HasSubCommands() {
			return // its commands come first
		}
		assert.Equal(t, completesDirs, directive, c.CommandPath())
		_, directive = complete(t, append(path, "data", "")...)
		assert.Equal(t, strings.Contains(c.Use, "DIR..."), directive == completesDirs, c.CommandPath())
	})
	assert.GreaterOrEqual(t, found, 10)
}

// TestInstalls installs this binary as `make install` does, and looks at what is there.
func TestInstalls(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "usr")
	self := filepath.Join(t.TempDir(), "getio")
	linkProgram(t, self)
	require.NoError(t, output(t, nil, "sh", "../packaging/install.sh", self, root))

	var want []string
	r := rootCommand()
	everyCommand(r, func(c *cobra.Command) {
		if c == r || shown(c) {
			want = append(want, "share/man/man1/"+strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		}
	})
	want = append(want, "bin/getio", "share/bash-completion/completions/getio",
		"share/fish/vendor_completions.d/getio.fish", "share/zsh/site-functions/_getio")
	slices.Sort(want)
	assert.Equal(t, want, filesIn(t, root))

	pages := filepath.Join(root, "share/man/man1")
	t.Run("pages name all flags", func(t *testing.T) {
		everyCommand(r, func(c *cobra.Command) {
			if c != r && !shown(c) {
				return
			}
			page, err := os.ReadFile(filepath.Join(pages, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
			require.NoError(t, err)
			c.Flags().VisitAll(func(f *pflag.Flag) {
				assert.Contains(t, string(page), `\fB\-\-`+strings.ReplaceAll(f.Name, "-", `\-`)+`\fP`, c.CommandPath())
			})
		})
	})
	t.Run("pages say what help says", func(t *testing.T) {
		plain := strings.NewReplacer(`\-`, "-", `\&`, "", `\\`, `\`, `\fB`, "", `\fP`, "", `\fI`, "", `\fR`, "")
		everyCommand(r, func(c *cobra.Command) {
			if c != r && !shown(c) {
				return
			}
			page, err := os.ReadFile(filepath.Join(pages, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"))
			require.NoError(t, err)
			text, said := plain.Replace(string(page)), c.Short+"\n"+c.Long+"\n"+c.Example
			c.Flags().VisitAll(func(f *pflag.Flag) { said += "\n" + strings.ReplaceAll(f.Usage, "`", "") })
			for line := range strings.Lines(said) {
				assert.True(t, strings.Contains(text, strings.TrimSpace(line)), "%s: %s", c.CommandPath(), line)
			}
		})
	})
	t.Run("pages say nothing of the machine or the day", func(t *testing.T) {
		elsewhere := t.TempDir()
		command := []string{filepath.Join(root, "bin/getio"), "man", elsewhere}
		if taskset, err := exec.LookPath("taskset"); err == nil {
			command = append([]string{taskset, "-c", oneProcessor(t)}, command...)
		}
		require.NoError(t, output(t, []string{"TMPDIR=" + elsewhere, "HOME=/elsewhere", "TZ=Asia/Tokyo", "SOURCE_DATE_EPOCH=1"}, command...))
		for _, name := range filesIn(t, elsewhere) {
			here, err := os.ReadFile(filepath.Join(pages, name))
			require.NoError(t, err)
			there, err := os.ReadFile(filepath.Join(elsewhere, name))
			require.NoError(t, err)
			assert.Equal(t, string(here), string(there), name)
		}
	})
	t.Run("man reads them", func(t *testing.T) {
		if _, err := exec.LookPath("man"); err != nil {
			t.Skip("man is not installed")
		}
		for _, name := range []string{"getio.1", "getio-measure.1", "getio-compare.1"} {
			cmd := exec.Command("man", "-l", filepath.Join(pages, name))
			cmd.Env = append(os.Environ(), "MANWIDTH=100", "LC_ALL=C.UTF-8", "MANPAGER=cat")
			var text, warnings bytes.Buffer
			cmd.Stdout, cmd.Stderr = &text, &warnings
			require.NoError(t, cmd.Run(), name)
			assert.Empty(t, warnings.String(), name)
			for _, heading := range []string{"\nNAME\n", "\nSYNOPSIS\n", "\nDESCRIPTION\n", "\nOPTIONS\n"} {
				assert.Contains(t, text.String(), heading, name)
			}
		}
	})
	t.Run("groff has no warnings", func(t *testing.T) {
		if _, err := exec.LookPath("groff"); err != nil {
			t.Skip("groff is not installed")
		}
		all, err := filepath.Glob(pages + "/*.1")
		require.NoError(t, err)
		require.NoError(t, output(t, nil, append([]string{"groff", "-man", "-Tutf8", "-ww", "-z"}, all...)...))
	})
	for shell, script := range map[string]string{
		"bash": "share/bash-completion/completions/getio", "zsh": "share/zsh/site-functions/_getio", "fish": "share/fish/vendor_completions.d/getio.fish",
	} {
		t.Run(shell+" reads its script", func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(shell + " is not installed")
			}
			require.NoError(t, output(t, nil, shell, "-n", filepath.Join(root, script)))
		})
	}
	t.Run("bash completes", func(t *testing.T) {
		if _, err := exec.LookPath("bash"); err != nil {
			t.Skip("bash is not installed")
		}
		// In place of the package bash-completion, whose function sets these variables.
		script := fmt.Sprintf(`. %s/share/bash-completion/completions/getio
_init_completion() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
compopt() { :; }
COMP_WORDS=(getio measure data --page-cache b) COMP_CWORD=4 COMP_TYPE=9
__start_getio; echo "${COMPREPLY[@]}"`, root)
		cmd := exec.Command("bash", "-c", script)
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Equal(t, "bypass\n", string(out))
	})
}

// TestCompletionScripts checks that all shells are installed for, and that help shows the command.
func TestCompletionScripts(t *testing.T) {
	var out bytes.Buffer
	require.Zero(t, run([]string{"getio", "--help"}, nil, &out, &out))
	assert.Regexp(t, `(?m)^  completion +Print`, out.String())
	install, err := os.ReadFile("../packaging/install.sh")
	require.NoError(t, err)
	for _, shell := range shells {
		assert.Contains(t, string(install), " completion "+shell+" ")
	}
}

// shown says whether help lists a command, and those above it.
func shown(c *cobra.Command) bool {
	for ; c.HasParent(); c = c.Parent() {
		if !c.IsAvailableCommand() {
			return false
		}
	}
	return true
}

// output runs a command that is to print nothing, with more in its environment.
func output(t *testing.T, env []string, command ...string) error {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	assert.Empty(t, string(out), command)
	return err
}

// oneProcessor is a processor that this process may run on.
func oneProcessor(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?m)^Cpus_allowed_list:\s*(\d+)`).FindSubmatch(status)
	require.NotNil(t, m)
	return string(m[1])
}

// filesIn lists the files under a directory, sorted.
func filesIn(t *testing.T, dir string) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}))
	return files
}
