package main

import (
	"bytes"
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
)

func (p *program) disconnectCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:         "disconnect " + clientNames("|"),
		Short:       "Disconnect an assistant: restore its configuration and revoke its key",
		Annotations: does(identity.KeyRevoke),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := findClient(args[0])
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error { return p.disconnect(cmd.Context(), in, c) })
		},
	}
	p.yesFlag(cmd)
	return cmd
}

func (p *program) disconnect(ctx context.Context, in *instance, c *client) error {
	n, err := p.connection(c)
	if err != nil {
		return err
	}
	if n == nil {
		return loci.Errorf(loci.NotFound, "cannot disconnect %s: `loci connect` did not connect it to this data directory; "+
			"remove the entry by hand, in %s", c.name, c.file(p.settings))
	}
	text, exists, err := readConfig(n.File)
	if err != nil {
		return err
	}
	after, err := n.undo(c.format, text)
	if err != nil {
		return err
	}
	gone := !n.Existed && bytes.Equal(after, n.original)
	if exists && !bytes.Equal(text, after) {
		p.note("This changes %s:\n%s", n.File, difference(text, after))
		if !p.yes && !p.confirm("Write it?") {
			return usagef("cannot disconnect %s: not confirmed; pass --yes", c.name)
		}
		if gone {
			err = os.Remove(n.File)
		} else {
			err = writeConfig(n.File, after)
		}
		if err != nil {
			return err
		}
	} else {
		p.note("%s no longer has Loci's entry and stays unchanged", n.File)
	}
	if !n.KeyID.IsZero() {
		if err := in.app.Identity.RevokeKey(ctx, in.operator, n.KeyID); err != nil && loci.CodeOf(err) != loci.NotFound {
			return err
		}
	}
	if err := p.forgetConnection(c); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(map[string]any{"client": c.id, "file": n.File, "disconnected": true})
	}
	p.printf("disconnected %s\n", c.name)
	return nil
}
