package main

import "github.com/spf13/cobra"

func (p *program) suggestionCommands() []*cobra.Command { return nil }
