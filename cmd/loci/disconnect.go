package main

import (
	"bytes"
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
)

func (p *program) disconnectCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:         "disconnect [CLIENT…]",
		Short:       "Disconnect assistants: restore their configurations and revoke their keys",
		Annotations: does(identity.KeyRevoke),
		Example: `  loci disconnect claude-code
  loci disconnect --all`,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := p.connectedClients(args, all)
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				var failed []error
				for _, c := range list {
					failed = append(failed, p.disconnect(cmd.Context(), in, c))
				}
				return errors.Join(failed...)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "disconnect every client that loci connect connected")
	p.yesFlag(cmd)
	return cmd
}

// connectedClients returns the named clients, or all that are connected.
func (p *program) connectedClients(names []string, all bool) (list []*client, err error) {
	if (len(names) == 0) != all {
		return nil, usagef("name the clients to disconnect, or pass --all")
	}
	for _, name := range names {
		c, err := findClient(name)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if !all {
		return list, nil
	}
	for _, c := range clients {
		n, err := p.connection(c)
		if err != nil {
			return nil, err
		}
		if n != nil {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		p.note("no client is connected")
	}
	return list, nil
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
		if gone {
			p.note("This removes %s, which loci connect created.", n.File)
		} else {
			p.note("This changes %s:\n%s", n.File, difference(text, after))
		}
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
