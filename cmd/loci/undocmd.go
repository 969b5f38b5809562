package main

import "github.com/spf13/cobra"

func (p *program) undoCommands() []*cobra.Command { return nil }
