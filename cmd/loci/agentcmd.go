package main

import "github.com/spf13/cobra"

func (p *program) agentCommands() []*cobra.Command { return nil }
