package main

import (
	"context"
	"errors"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/mcpserver"
)

func (p *program) connectCommand() *cobra.Command {
	var stdio, show, yes bool
	var project string
	cmd := &cobra.Command{
		Use:   "connect " + clientNames("|"),
		Short: "Write Loci into an assistant's own configuration",
		Long: `Write Loci into an assistant's own configuration, with a key of its own. It shows
what will change and asks; "loci disconnect" brings back what was there.`,
		Example: `  loci connect claude-code
  loci connect codex --stdio     # the assistant starts Loci itself; no server, no key
  loci connect cursor --toolsets memory,graph --project website`,
		Args:        cobra.ExactArgs(1),
		Annotations: does(app.KeyCreate, app.KeyList, app.KeyRevoke),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := findClient(args[0])
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), create, func(in *instance) error {
				e, err := p.endpoint(c, stdio)
				if err != nil {
					return err
				}
				var toolsets []string
				if cmd.Flags().Changed("toolsets") { // what the environment says is for the server
					toolsets = p.settings.Toolsets
				}
				e.offer(toolsets, project)
				if show {
					return p.printEntry(cmd.Context(), in, c, e)
				}
				return p.connect(cmd.Context(), in, c, e, yes)
			})
		},
	}
	cmd.Flags().BoolVar(&stdio, "stdio", false, "let the assistant start loci itself, without a server")
	cmd.Flags().BoolVar(&show, "print", false, "make a key and print what to paste; change no file")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().StringVar(&project, "project", "", "name of the project that its graph tools work on where neither call nor session says one")
	cmd.Flags().String("toolsets", "", "which tools it is offered: "+strings.Join(mcpserver.Toolsets(), ", ")+" (default: those of the server)")
	cmd.Flags().String("listen", "", "address that loci serve listens on (default 127.0.0.1:5624; LOCI_LISTEN)")
	cmd.Flags().String("public-url", "", "address under which people reach that server (LOCI_PUBLIC_URL)")
	return cmd
}

// endpoint is how the client will reach Loci; the key comes later.
func (p *program) endpoint(c *client, stdio bool) (*endpoint, error) {
	if stdio {
		binary, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if isTransient(binary) {
			return nil, usagef("this loci was started by `go run` and is gone when that ends; install it with `go install ./cmd/loci` and connect with the installed one")
		}
		return &endpoint{Command: binary, Args: []string{"mcp", "--vendor", string(c.vendor), "--data-dir", p.settings.DataDir}}, nil
	}
	return &endpoint{URL: mcpURL(p.reachable(p.settings.Listen))}, nil
}

// isTransient reports whether a program lies where `go run` puts it, which is
// cleaned up. A binary of go test is no command for a client, but tests need it.
func isTransient(binary string) bool {
	slash := strings.ReplaceAll(binary, `\`, "/")
	return strings.Contains(slash, "/go-build") && !strings.Contains(path.Base(slash), ".test")
}

// newKey gives the endpoint a key of its own, unless it needs none.
func (in *instance) newKey(ctx context.Context, c *client, e *endpoint) (id loci.CredentialID, err error) {
	if e.Command != "" {
		return id, nil
	}
	made, key, err := in.app.CreateKey(ctx, in.operator, auth.KeyRequest{Name: c.name + " (connected)", Vendor: c.vendor})
	e.Key = key
	return made.ID, err
}

func (p *program) printEntry(ctx context.Context, in *instance, c *client, e *endpoint) error {
	if _, err := in.newKey(ctx, c, e); err != nil {
		return err
	}
	if e.Command == "" {
		p.printf("%s\n", c.instructions(e))
		return nil
	}
	entry, err := c.format.put(nil, c.format.render(e))
	if err != nil {
		return err
	}
	p.printf("%s, in %s:\n\n%s\n", c.name, c.file(p.settings), indent(string(entry)))
	return nil
}

// connect writes the client's file. Done twice, it changes nothing.
func (p *program) connect(ctx context.Context, in *instance, c *client, e *endpoint, yes bool) error {
	if p.settings.Home == "" {
		return loci.Errorf(loci.Invalid, "no home directory is known, so %s's configuration cannot be found; use --print", c.name)
	}
	file := c.file(p.settings)
	text, existed, err := readConfig(file)
	if err != nil {
		return err
	}
	if _, err := c.format.parse(text); err != nil {
		return malformed(file, err)
	}
	old, err := p.connection(c)
	if err != nil {
		return err
	}
	entry, err := c.format.find(text)
	if err != nil {
		return malformed(file, err)
	}
	if old != nil && old.File == file && digest(entry) == old.Entry && old.reaches(e) && in.keyWorks(ctx, old.KeyID) {
		p.note("%s is connected already, in %s", c.name, file)
		return nil
	}
	preview := *e
	preview.Key = loci.Secret(auth.AgentKeyPrefix + "…")
	after, err := changeEntry(c.format, file, text, c.format.render(&preview))
	if err != nil {
		return err
	}
	p.note("This changes %s:\n%s", file, difference(text, after))
	if !yes && !p.confirm("Write it?") {
		return usagef("nothing was changed; --yes says that you mean it")
	}
	return p.establish(ctx, in, c, e, &connection{Client: c.id, File: file, Existed: existed, URL: e.URL, Command: e.Command, Args: e.Args}, text, old)
}

// establish makes the key, then keeps what was there, then writes. Whatever
// fails, no key is left behind that nobody has.
func (p *program) establish(ctx context.Context, in *instance, c *client, e *endpoint, n *connection, text []byte, old *connection) (err error) {
	before := text
	if old != nil && old.File == n.File { // connected before: what was there is what was there then
		if before, err = old.undo(c.format, text); err != nil {
			return err
		}
		n.Existed = old.Existed
	}
	if n.KeyID, err = in.newKey(ctx, c, e); err != nil {
		return err
	}
	defer func() {
		if err != nil && !n.KeyID.IsZero() {
			err = errors.Join(err, in.app.RevokeKey(context.WithoutCancel(ctx), in.operator, n.KeyID))
		}
	}()
	after, err := changeEntry(c.format, n.File, before, c.format.render(e))
	if err != nil {
		return err
	}
	entry, err := c.format.find(after)
	if err != nil {
		return err
	}
	previous, err := c.format.find(before)
	if err != nil {
		return err
	}
	n.Entry, n.Previous, n.Written = digest(entry), string(previous), digest(after)
	if err := p.keepConnection(n, before); err != nil {
		return err
	}
	if err := writeConfig(n.File, after); err != nil {
		return err
	}
	if old != nil && !old.KeyID.IsZero() {
		if err := in.app.RevokeKey(ctx, in.operator, old.KeyID); err != nil && loci.CodeOf(err) != loci.NotFound {
			p.log.WarnContext(ctx, "the old key could not be revoked", "credential", old.KeyID.String(), "error", err)
		}
	}
	if p.json {
		return p.printJSON(map[string]any{"client": c.id, "file": n.File, "key_id": n.KeyID, "backup": p.connectionFile(c.id, backupSuffix)})
	}
	p.printf("connected %s: %s\n", c.name, c.hint)
	if e.Command == "" && p.settings.PublicURL == "" && !isLoci(ctx, e.host()) {
		p.note("No Loci answers there yet; start it with: loci serve --listen %s", p.settings.Listen)
	}
	p.note("What was there before is in %s; undo with: loci disconnect %s", p.connectionFile(c.id, backupSuffix), c.id)
	return nil
}

// keyWorks reports whether a connection's key can still be used; one over
// stdio has none.
func (in *instance) keyWorks(ctx context.Context, id loci.CredentialID) bool {
	if id.IsZero() {
		return true
	}
	keys, err := in.app.Keys(ctx, in.operator, loci.KindAgent)
	if err != nil {
		return false
	}
	for i := range keys {
		if keys[i].ID == id {
			return keyStatus(&keys[i]) == "valid"
		}
	}
	return false
}
