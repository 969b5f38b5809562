package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/identity"
)

func (p *program) disconnectCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:         "disconnect [CLIENT…]",
		Short:       "Disconnect assistants: restore their configurations and revoke their keys",
		Annotations: does(identity.KeyRevoke, identity.KeyList),
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
					err := p.disconnectEach(cmd.Context(), in, c)
					if cmd.Context().Err() != nil { // Ctrl-C is for all
						return err
					}
					failed = append(failed, err)
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
		c, err := findClient(name, p.namesConnected)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if !all {
		return list, nil
	}
	if list, err = p.allConnected(); err == nil && len(list) == 0 {
		p.note("no client is connected")
	}
	return list, err
}

func (p *program) allConnected() (list []*client, err error) {
	if err := p.settings.unusable(create); err != nil {
		return nil, err
	}
	for _, c := range clients {
		entries, err := p.entries(c)
		if err != nil {
			return nil, err
		}
		if len(entries) > 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// namesConnected tells which clients can be disconnected.
func (p *program) namesConnected() string {
	list, err := p.allConnected()
	if err != nil || len(list) == 0 {
		return "no client is connected; see `loci status`"
	}
	return "connected are " + strings.Join(loci.Mapped(list, func(c *client) string { return c.id }), ", ")
}

// disconnectEach removes both entries that Loci may have in a client's file, and revokes all keys that connect made for
// the client: these and those that rotation put in their place have the same name.
func (p *program) disconnectEach(ctx context.Context, in *instance, c *client) error {
	entries, err := p.entries(c)
	if err != nil {
		return err
	}
	captured, hooked := p.stopCapture(ctx, c)
	if hooked != nil && (len(entries) == 0 || errors.Is(hooked, errNotConfirmed) || ctx.Err() != nil) {
		return hooked
	}
	if len(entries) == 0 {
		if captured {
			return nil
		}
		return p.notConnected(c)
	}
	for _, x := range entries {
		if err := p.disconnect(ctx, in, x.client, x.n); err != nil {
			return err
		}
	}
	n, err := in.revokeKeys(ctx, func(_ []loci.Credential, k *loci.Credential) bool { return isConnected(c, k) })
	if n > 0 {
		p.note("Revoked %s of earlier connections.", loci.Plural(n, "more key", "more keys"))
	}
	if err != nil || hooked == nil {
		return err
	}
	return fmt.Errorf("%w; everything else of Loci is removed from %s", hooked, c.name)
}

// notConnected returns the error about a client that this data directory has not connected.
func (p *program) notConnected(c *client) error {
	file, err := c.readFile(c.file(p.settings))
	if err != nil {
		return err
	}
	entry := clientfile.Entry(c.format, file.Parsed)
	if !clientfile.LeadsToLoci(entry) {
		return loci.Errorf(loci.NotFound, "cannot disconnect %s: it is not connected; see `loci status`", c.name)
	}
	return loci.Errorf(loci.NotFound, "cannot disconnect %s: it was not connected to this data directory, but %s has an "+
		"entry of Loci. %s", c.name, file.Name, p.othersEntry(c, entry))
}

// othersEntry tells how to remove an entry of Loci that connect for this data directory did not write.
func (p *program) othersEntry(c *client, entry map[string]any) string {
	if dir := p.otherDirectory(entry); dir != "" {
		return fmt.Sprintf("It starts Loci on %s. To remove it, run: loci --data-dir %s disconnect %s", dir, quoted(dir),
			c.id)
	}
	return fmt.Sprintf("If loci connect wrote it for another data directory DIR, run: loci --data-dir DIR disconnect %s. "+
		"Otherwise remove it by hand.", c.id)
}

// entry is an entry of Loci in a client's file: the client with that entry, and what connect did.
type entry struct {
	*client
	n *connection
}

// entries returns each entry that Loci has in the client's file, the newer kind first.
func (p *program) entries(c *client) (list []entry, err error) {
	for _, x := range []*client{c.replacing(""), c} {
		n, err := p.connection(x)
		if err != nil {
			return nil, err
		}
		if n != nil && n.Name != "" {
			x = c.replacing(n.Name)
		}
		if n != nil {
			list = append(list, entry{x, n})
		}
	}
	return list, nil
}

func (p *program) disconnect(ctx context.Context, in *instance, c *client, n *connection) error {
	stays, err := p.restoreFile(ctx, in, c, n)
	if err != nil {
		return err
	}
	if err := p.cleanRest(ctx, in, c, n); err != nil {
		return err
	}
	if err := in.revokeKeysOf(ctx, n); err != nil {
		return err
	}
	if err := p.forgetConnection(c); err != nil {
		return err
	}
	if p.json {
		return p.printJSON(map[string]any{"client": c.id, "file": n.File, "disconnected": stays == nil})
	}
	if stays != nil {
		p.printf("removed the connection of this data directory; %s still has an entry of Loci in %s\n", c.name, n.File)
		p.note("%s", p.othersEntry(c, stays))
	} else {
		p.printf("disconnected %s\n", c.name)
	}
	if n.Project != "" {
		p.note("Project %[1]s keeps its graph. To export it for the other server, run: "+
			"loci graph export --project %[2]s --format reference FILE", cut(n.Project, 100), quoted(n.Project))
	}
	return nil
}

// restoreFile takes Loci's entry out of the client's file. If connect created the file and nothing else is in it, the
// file goes, too. If the file still leads to Loci by an entry that is not of this connection, that entry stays.
func (p *program) restoreFile(ctx context.Context, in *instance, c *client, n *connection) (stays map[string]any,
	err error) {
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return nil, err
	}
	now, err := c.readFile(n.File)
	if err != nil {
		return nil, err
	}
	own := p.ownEntry(c, n, keys, now) != nil
	after, remains, err := n.undo(c.format, now, own)
	if err == nil {
		after, remains, err = p.withoutStrays(c, n, keys, after, remains)
	}
	if entry := clientfile.Entry(c.format, now.Parsed); !own && clientfile.LeadsToLoci(entry) {
		stays = entry
	}
	switch {
	case err != nil:
		return nil, err
	case !now.Existed || remains && bytes.Equal(now.Text, after):
		if clientfile.Entry(c.format, now.Parsed) != nil {
			p.note("The entry %s in %s is not the one that loci connect wrote. It stays unchanged.",
				quoted(c.format.EntryName()), n.File)
		} else {
			p.note("%s no longer has Loci's entry and stays unchanged", n.File)
		}
		return stays, nil
	case remains:
		p.note("This changes %s:\n%s", n.File, clientfile.Difference(now.Text, after))
	default:
		p.note("This removes %s, which loci connect created.", n.File)
	}
	if err := p.agreed(ctx, "Write it?", "disconnect "+c.name, "--yes"); err != nil {
		return nil, err
	}
	if !remains {
		return stays, now.Remove()
	}
	if n.Mode != 0 && clientfile.KeyIn(string(after)) == "" {
		return stays, now.ReplaceWith(after, n.Mode)
	}
	return stays, now.Replace(after)
}
