package main

import (
	"context"
	"errors"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/mcpserver"
)

func (p *program) connectCommand() *cobra.Command {
	var stdio, show bool
	var project string
	cmd := &cobra.Command{
		Use:   "connect " + clientNames("|"),
		Short: "Connect an assistant: add Loci to its configuration",
		Long: `Connect an assistant: add Loci to its configuration, with a new key. The command shows
the change and asks for confirmation. "loci disconnect" undoes it.`,
		Example: `  loci connect claude-code
  loci connect codex --stdio     # the assistant starts Loci; no server, no key
  loci connect cursor --toolsets memory,graph --project website`,
		Annotations: does(identity.KeyCreate, identity.KeyList, identity.KeyRevoke),
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
				if cmd.Flags().Changed("toolsets") { // LOCI_TOOLSETS is for the server
					toolsets = p.settings.Toolsets
				}
				e.offer(toolsets, project)
				if show {
					return p.printEntry(cmd.Context(), in, c, e)
				}
				return p.connect(cmd.Context(), in, c, e)
			})
		},
	}
	cmd.Flags().BoolVar(&stdio, "stdio", false, "let the assistant start loci, without a server")
	cmd.Flags().BoolVar(&show, "print", false, "create a key and print the configuration, but change no file")
	p.yesFlag(cmd)
	cmd.Flags().StringVar(&project, "project", "", "project of its graph tools if neither call nor session names one")
	cmd.Flags().String("toolsets", "", "toolsets to offer: "+strings.Join(mcpserver.Toolsets(), ", ")+
		" (default: the server's)")
	cmd.Flags().String("listen", "", "address that loci serve listens on (default 127.0.0.1:5624; LOCI_LISTEN)")
	cmd.Flags().String("public-url", "", "address at which people reach that server (LOCI_PUBLIC_URL)")
	return cmd
}

// endpoint is how the client will reach Loci, without a key yet.
func (p *program) endpoint(c *client, stdio bool) (*endpoint, error) {
	if stdio {
		binary, err := os.Executable()
		if err != nil {
			return nil, err
		}
		if isTransient(binary) {
			return nil,
				usagef("cannot connect a program that `go run` started: it is temporary; run `go install ./cmd/loci` and use the " +
					"installed one")
		}
		args := append([]string{"mcp", "--vendor", string(c.vendor)}, p.settings.sameData()...)
		return &endpoint{Command: binary, Args: args}, nil
	}
	return &endpoint{URL: mcpURL(p.reachable(p.settings.Listen))}, nil
}

// isTransient reports whether a program is in the temporary directory of `go run`. Binaries of go test count as
// permanent, for the tests.
func isTransient(binary string) bool {
	slash := strings.ReplaceAll(binary, `\`, "/")
	return strings.Contains(slash, "/go-build") && !strings.Contains(path.Base(slash), ".test")
}

// newKey creates a key for the endpoint, unless it requires none.
func (in *instance) newKey(ctx context.Context, c *client, e *endpoint) (id loci.CredentialID, err error) {
	if e.Command != "" {
		return id, nil
	}
	made, key, err := in.app.Identity.CreateKey(ctx, in.operator,
		auth.KeyRequest{Name: c.name + " (connected)", Vendor: c.vendor})
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

// connect writes the client's file. Repeating it changes nothing.
func (p *program) connect(ctx context.Context, in *instance, c *client, e *endpoint) error {
	if p.settings.Home == "" {
		return loci.Errorf(loci.Invalid, "cannot find the configuration of %s: the home directory is unknown; use --print",
			c.name)
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
		p.note("%s is already connected, in %s", c.name, file)
		return nil
	}
	preview := *e
	preview.Key = loci.Secret(auth.AgentKeyPrefix + "…")
	after, err := changeEntry(c.format, file, text, c.format.render(&preview))
	if err != nil {
		return err
	}
	p.note("This changes %s:\n%s", file, difference(text, after))
	if !p.yes && !p.confirm("Write it?") {
		return usagef("cannot connect %s: not confirmed; pass --yes", c.name)
	}
	n := &connection{Client: c.id, File: file, Existed: existed, URL: e.URL, Command: e.Command, Args: e.Args}
	return p.establish(ctx, in, c, e, n, text, old)
}

// establish creates the key, keeps a copy of the file, and writes it. If anything fails, it revokes the key.
func (p *program) establish(ctx context.Context, in *instance, c *client, e *endpoint, n *connection, text []byte,
	old *connection) (err error) {
	before := text
	if old != nil && old.File == n.File { // connected before: the original is that of the first time
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
			err = errors.Join(err, in.app.Identity.RevokeKey(context.WithoutCancel(ctx), in.operator, n.KeyID))
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
		if err := in.app.Identity.RevokeKey(ctx, in.operator, old.KeyID); err != nil && loci.CodeOf(err) != loci.NotFound {
			p.log.WarnContext(ctx, "cannot revoke the old key", "credential", old.KeyID.String(), "error", err)
		}
	}
	if p.json {
		return p.printJSON(map[string]any{"client": c.id, "file": n.File, "key_id": n.KeyID,
			"backup": p.connectionFile(c.id, backupSuffix)})
	}
	p.printf("connected %s: %s\n", c.name, c.hint)
	if e.Command == "" && p.settings.PublicURL == "" && !isLoci(ctx, e.host()) {
		p.note("The server is not running yet; start it with: loci serve --listen %s", p.settings.Listen)
	}
	original := ""
	if n.Existed {
		original = "The original file is in " + p.connectionFile(c.id, backupSuffix) + ". "
	}
	p.note("%sTo undo, run: loci disconnect %s", original, c.id)
	return nil
}

// keyWorks reports whether a connection's key is valid. A connection over stdio has none.
func (in *instance) keyWorks(ctx context.Context, id loci.CredentialID) bool {
	if id.IsZero() {
		return true
	}
	keys, err := in.app.Identity.Keys(ctx, in.operator, loci.KindAgent)
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
