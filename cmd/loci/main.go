// Command loci is one memory for every AI that a person uses: a server for assistants (MCP) and
// programs (REST), and a command line for the person themselves.
//
// This package only configures and wires: one file for each command, config.go is the only reader of the environment,
// and exit.go has the one table of exit codes. A command calls a capability, or maintenance of package maintain. It
// prints secrets to standard output, once, if the person asked for them, and never to standard error or a log.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run()) }

// run is main with an exit code. The first signal stops the command gracefully; the second ends it immediately.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	binary, _ := os.Executable() // "" is not transient
	p := &program{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: environment(), called: calledAs(binary)}
	return p.execute(ctx, os.Args[1:])
}
