package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"

	"github.com/ethereum/go-ethereum/log"
	"github.com/spf13/cobra"

	"getio/engine/engines"
	"getio/engine/pebble/pebbledb"
	pebblev1 "getio/engine/pebble/v1"
	pebblev2 "getio/engine/pebble/v2"
	"getio/ethereum/chainload"
)

const chainWriteName = "write"

// writeApart returns the process that makes the chain for 'chain build': this program again.
func writeApart(ctx context.Context) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	cmd := exec.CommandContext(ctx, program, "chain", chainWriteName)
	cmd.Args[0] = os.Args[0]
	return cmd
}

func chainWriteCommand() *cobra.Command {
	return &cobra.Command{
		Use:    chainWriteName,
		Short:  "Make the chain that 'chain build' describes on standard input",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			signal.Ignore(os.Interrupt) // chain build stops this process
			log.SetDefault(log.NewLogger(log.NewTerminalHandlerWithLevel(os.Stderr, log.LevelCrit, false)))
			halted := pebbledb.NewLogger()
			pebblev1.HaltStores(halted)
			pebblev2.HaltStores(halted)
			return chainload.Serve(c.Context(), os.Stdin, os.Stdout, engines.All().ByName, halted.Failures)
		},
	}
}
