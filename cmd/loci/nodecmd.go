package main

import "github.com/spf13/cobra"

func (p *program) nodeCommands() []*cobra.Command { return []*cobra.Command{p.changesCommand()} }
