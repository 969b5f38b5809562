package main

import "github.com/spf13/cobra"

func (p *program) assetCommands() []*cobra.Command { return nil }
