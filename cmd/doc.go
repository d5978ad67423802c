// Package cmd stands for the command line: getio itself, with the flags that all commands share, and what its commands
// have in common.
package cmd
