// Command loci is one memory for every AI that a person uses: a server for
// assistants (MCP) and programs (REST), and a command line for the person
// themselves.
//
// This package only configures and wires: one file per command, config.go the
// only reader of the environment, exit.go the one table of exit codes. What a
// command does is a use case of package app, or upkeep of package maintain.
// Secrets go to standard output, once, where the person asked for them; never
// to standard error or a log.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main with an exit code. The first signal asks the command to stop in
// order; the next one has the system's own effect and ends it at once.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: environment()}
	return p.execute(ctx, os.Args[1:])
}
