package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/mcpserver"
	"github.com/loci-memory/loci/internal/project"
)

// connecting is what the flags of connect choose.
type connecting struct {
	all, stdio, show bool
	project          string
	toolsets         []string
	offered          bool // the person named no client, so they may refuse one and go on
	replace          bool // the entry of the reference memory server
	memoryFile       string
	capture          bool                   // let the client log what it does
	given            func(flag string) bool // the command line has the flag
}

func (p *program) connectCommand() *cobra.Command {
	var o connecting
	cmd := &cobra.Command{
		Use:   "connect [CLIENT…]",
		Short: "Connect assistants: add Loci to their configurations",
		Long: `Connect assistants: add Loci to their configurations, each with a new key. Without
CLIENT, the command finds the clients on this machine and offers each. It shows every
change and asks for confirmation. "loci disconnect" undoes it.

For a connected client, omitted flags keep what its entry has, except a dead local
address. --toolsets "" and --project "" return to the default, --stdio=false to a server.

--replace-memory imports the graph of the reference "memory" MCP server into a project. Then it
replaces the server by Loci, which has the same tools and keeps the server's name.

CLIENT is one of:
  ` + clientNames("\n  "),
		Example: `  loci connect
  loci connect claude-code
  loci connect claude-code --capture   # also log what it does
  loci connect --replace-memory claude-code
  loci connect codex --stdio     # the assistant starts Loci; no server, no key
  loci connect cursor --toolsets memory,graph --project website`,
		Annotations: does(identity.KeyCreate, identity.KeyList, identity.KeyRevoke, project.Read, project.Create,
			project.Delete, graph.Import),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.given = cmd.Flags().Changed
			if err := o.check(args); err != nil {
				return err
			}
			list, err := p.chooseClients(args, &o)
			if err != nil {
				return err
			}
			if o.given("toolsets") { // LOCI_TOOLSETS is for the server
				o.toolsets = p.settings.Toolsets
			}
			if err := p.refuseOther(cmd.Context(), list, &o); err != nil {
				return err
			}
			return p.with(cmd.Context(), create, func(in *instance) error {
				return p.connectEach(cmd.Context(), in, list, &o)
			})
		},
	}
	p.connectFlags(cmd, &o)
	return cmd
}

func (p *program) connectFlags(cmd *cobra.Command, o *connecting) {
	cmd.Flags().BoolVar(&o.all, "all", false, "connect every client that is found on this machine")
	cmd.Flags().BoolVar(&o.stdio, "stdio", false, "let the assistant start loci, without a server; =false: use a server")
	cmd.Flags().BoolVar(&o.show, "print", false, "create a key and print the configuration, but change no file")
	p.yesFlag(cmd)
	cmd.Flags().BoolVar(&o.replace, "replace-memory", false,
		"replace the reference memory server: import its graph and keep its entry's name")
	cmd.Flags().StringVar(&o.memoryFile, "memory-file", "",
		"file of the reference memory server (default: the one that its entry uses); "+noMemoryFile+": import nothing")
	cmd.Flags().StringVar(&o.project, "project", "", "project of its graph tools if neither call nor session names one; "+
		`"": none`)
	cmd.Flags().String("toolsets", "", "toolsets to offer: "+strings.Join(mcpserver.Toolsets(), ", ")+
		` (default, and with "": the server's)`)
	cmd.Flags().String("listen", "", "address that loci serve listens on (default: that of the running server)")
	cmd.Flags().String("public-url", "", "address at which people reach that server (default: that of the running server)")
	cmd.Flags().BoolVar(&o.capture, "capture", false,
		"let Claude Code log what it does, by hooks in its settings; =false: remove the hooks")
	for _, other := range []string{"print", "replace-memory"} {
		cmd.MarkFlagsMutuallyExclusive("capture", other)
	}
	cmd.MarkFlagsMutuallyExclusive("replace-memory", "toolsets")
	cmd.MarkFlagsMutuallyExclusive("replace-memory", "print")
}

// check refuses flags that do not fit each other or the named clients.
func (o *connecting) check(names []string) error {
	if o.memoryFile != "" && !o.replace {
		return usagef("--memory-file requires --replace-memory")
	}
	if o.given("capture") && (len(names) != 1 || names[0] != capturing) {
		return usagef("--capture requires one client that runs hooks: loci connect %s --capture, or --capture=false to "+
			"remove them", capturing)
	}
	return nil
}

// chooseClients returns the clients to connect: the named ones, or those that are found.
func (p *program) chooseClients(names []string, o *connecting) (list []*client, err error) {
	if len(names) > 0 && o.all {
		return nil, usagef("cannot combine the name of a client with --all")
	}
	for _, name := range names {
		c, err := findClient(name, canConnect)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(names) > 0 {
		return list, nil
	}
	list = slices.DeleteFunc(slices.Clone(clients), func(c *client) bool { return !c.installed(p.settings) })
	if o.replace {
		if list, err = p.withMemoryServer(list); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, loci.Errorf(loci.NotFound, "cannot find a client that Loci knows on this machine; to connect one "+
			"anyway, name it: loci connect %s", clientNames("|"))
	}
	o.offered = !o.all
	if o.offered && !isTerminal(p.in) {
		found := loci.Mapped(list, func(c *client) foundClient { return foundClient{c.id, c.name, c.file(p.settings)} })
		err := printList(p, "clients", found, nil, "", "CLIENT|NAME|FILE", func(f foundClient) []string {
			return []string{f.Client, f.Name, f.File}
		})
		confirmed := ""
		if !p.yes && !o.show {
			confirmed = " and --yes"
		}
		return nil, errors.Join(err, usagef("found %s; to connect all, pass --all%s; to connect some, pass their names%s",
			loci.Plural(len(list), "client", "clients"), confirmed, confirmed))
	}
	p.note("Found %s.", labels(list))
	return list, nil
}

// refuseOther refuses to connect clients if another program has the address, or a server of another data directory.
// That server would reject their keys.
func (p *program) refuseOther(ctx context.Context, list []*client, o *connecting) error {
	overHTTP := slices.ContainsFunc(list, func(c *client) bool {
		if o.replace {
			server, err := p.memoryServer(c)
			if err != nil {
				return false // connectOne reports it
			}
			c = c.replacing(server.name)
		}
		w, err := p.wantedWith(c, nil, o) // no key is needed to recognise an entry over stdio
		return err == nil && !w.stdio
	})
	server := p.server()
	if !overHTTP || server.PID != 0 || p.settings.PublicURL != "" {
		return nil
	}
	if what, wayOut := p.usesAddress(ctx, server.Listen); what != "" {
		return loci.Errorf(loci.Conflict, "cannot connect %s: %s; %s", labels(list), what, wayOut)
	}
	return nil
}

type foundClient struct {
	Client string `json:"client"`
	Name   string `json:"name"`
	File   string `json:"file"`
}

// connectEach connects clients one after the other. A failure does not keep it from connecting the others.
func (p *program) connectEach(ctx context.Context, in *instance, list []*client, o *connecting) error {
	if !o.replace { // that creates the project
		who := func(context.Context) (loci.Principal, error) { return in.operator, nil }
		if err := p.noteProject(ctx, in, who, o.project); err != nil {
			return err
		}
	}
	var failed []error
	done := []connected{}
	for _, c := range list {
		n, err := p.connectOne(ctx, in, c, o)
		if err != nil && ctx.Err() != nil { // Ctrl-C is for all
			return err
		}
		if err != nil {
			failed = append(failed, err)
		} else if n != nil {
			done = append(done, *n)
		}
	}
	if err := errors.Join(failed...); err != nil || !p.json || o.show {
		return err
	}
	if len(list) == 1 && len(done) == 1 {
		return p.printJSON(done[0])
	}
	return p.printJSON(page("clients", done))
}

// connectOne returns nil if there was nothing to do.
func (p *program) connectOne(ctx context.Context, in *instance, c *client, o *connecting) (*connected, error) {
	if o.replace {
		return p.replaceMemory(ctx, in, c, o)
	}
	w, err := p.wanted(ctx, in, c, o)
	if err != nil {
		return nil, err
	}
	if o.capture && w.stdio { // such an entry has no key that the hook could use
		return nil, loci.Errorf(loci.Invalid, "cannot log what %s does: its entry starts Loci, but the hook needs a server "+
			"and a key; pass --stdio=false", c.name)
	}
	e, err := p.endpoint(c, w)
	if err != nil {
		return nil, err
	}
	e.Offer(w.offer)
	if o.show {
		return nil, p.printEntry(ctx, in, c, e)
	}
	return p.connectCapturing(ctx, in, c, e, o)
}

// connected is a client that connect has connected, for programs.
type connected struct {
	Client string            `json:"client"`
	File   string            `json:"file"`
	KeyID  loci.CredentialID `json:"key_id,omitzero"`
	Backup string            `json:"backup,omitempty"`

	Capture string `json:"capture,omitempty"` // the file with the hooks

	Project  string              `json:"project,omitempty"` // into which connect imported the graph
	Imported *wire.GraphImported `json:"imported,omitempty"`
}

// endpoint is how the client will reach Loci, without a key yet.
func (p *program) endpoint(c *client, w wanted) (*clientfile.Endpoint, error) {
	if w.stdio {
		binary, err := installed(c, "start")
		if err != nil {
			return nil, err
		}
		return p.starting(c, binary), nil
	}
	base := cmp.Or(w.base, p.server().URL)
	if base == "" {
		return nil, fmt.Errorf("cannot connect %s: the address of the server is unknown; start it "+
			"first, or pass --listen", c.name)
	}
	return &clientfile.Endpoint{URL: mcpURL(base)}, nil
}

// installed returns the file of this program, which the client is to start or run from now on.
func installed(c *client, verb string) (string, error) {
	binary, err := os.Executable()
	if err == nil && isTransient(binary) {
		err = usagef("cannot let %s %s a program that `go run` started: it is temporary; run `go install ./cmd/loci` "+
			"and use the installed one", c.name, verb)
	}
	return binary, err
}

// starting is the endpoint of a client that starts Loci on this data.
func (p *program) starting(c *client, binary string) *clientfile.Endpoint {
	return &clientfile.Endpoint{Command: binary,
		Args: append([]string{"mcp", "--vendor", string(c.vendor)}, p.settings.sameData()...)}
}

// isTransient reports whether a program is in the temporary directory of `go run`. Binaries of go test count as
// permanent, for the tests.
func isTransient(binary string) bool {
	slash := strings.ReplaceAll(binary, `\`, "/")
	return strings.Contains(slash, "/go-build") && !strings.Contains(path.Base(slash), ".test")
}

// calledAs returns how a person calls a program that "go run" started, which removes it afterwards; "": by its name.
func calledAs(binary string) string {
	if source := "./cmd/loci"; isTransient(binary) && isFile(source+"/main.go") {
		return "go run " + source
	}
	return ""
}

// newKey creates a key for the endpoint, unless it requires none.
func (in *instance) newKey(ctx context.Context, c *client, e *clientfile.Endpoint,
	how string) (id loci.CredentialID, err error) {
	if e.Command != "" {
		return id, nil
	}
	made, key, err := in.app.Identity.CreateKey(ctx, in.operator,
		auth.KeyRequest{Name: keyName(c, how), Vendor: c.vendor})
	e.Key = key
	return made.ID, err
}

func (p *program) printEntry(ctx context.Context, in *instance, c *client, e *clientfile.Endpoint) error {
	id, err := in.newKey(ctx, c, e, keyPrinted)
	if err != nil {
		return err
	}
	p.printf("%s\n", c.instructions(e, c.file(p.settings)))
	if !id.IsZero() {
		p.note("This created a key, which loci disconnect does not revoke. To revoke it, run: loci agent-key revoke %s", id)
	}
	return nil
}

// connect writes the client's file, after it imported the graph of a replaced server. Repeating it changes nothing. It
// returns nil if there was nothing to do, or if the person refuses a client that was only offered.
func (p *program) connect(ctx context.Context, in *instance, c *client, e *clientfile.Endpoint, offered bool,
	moved *moving) (*connected, error) {
	if p.settings.Home == "" {
		return nil, loci.Errorf(loci.Invalid,
			"cannot find the configuration of %s: the home directory is unknown; use --print", c.name)
	}
	file, err := c.readFile(c.file(p.settings))
	if err != nil {
		return nil, err
	}
	old, err := p.connection(c)
	if err != nil {
		return nil, err
	}
	keys, err := in.agentKeys(ctx)
	if err != nil {
		return nil, err
	}
	own := p.ownEntry(c, old, keys, file)
	if own != nil && old != nil && old.File == file.Name {
		fault := p.keyFault(keys, own.keyID)
		switch same, err := own.reaches(c.format, e); {
		case err != nil:
			return nil, err
		case fault != "":
			p.note("The key of %s in %s %s. Loci replaces it by a new one.", c.name, file.Name, fault)
		case same && len(p.rest(c, old, keys, file.Name)) == 0:
			p.noteConnected(c, e, file)
			return nil, nil
		}
	}
	if moved == nil && len(memoryServers(file.Parsed[c.format.Table()])) > 0 {
		p.note("%s also runs the reference memory server. To import its graph and replace it, run: loci connect "+
			"--replace-memory %s", c.name, c.id)
	}
	if err := p.noteStrays(c, old, keys, file); err != nil {
		return nil, err
	}
	other := p.takesOver(c, old, keys, file, moved)
	n := &connection{Client: c.id, File: file.Name, URL: e.URL, Command: e.Command, Args: e.Args,
		updates: own != nil || other, rest: p.rest(c, old, keys, file.Name)}
	if n.original, n.Existed, err = original(c.format, old, file, own != nil, other); err != nil {
		return nil, err
	}
	if n.Mode, err = modeBefore(old, file); err != nil {
		return nil, err
	}
	if moved != nil {
		n.Name, n.Project = c.format.EntryName(), moved.project
	}
	if err := p.preview(c, e, n, file); err != nil {
		return nil, err
	}
	moved.announce(p)
	if err := p.agreed(ctx, "Connect "+c.name+"?", "connect "+c.name, "--yes"); err != nil {
		if offered && errors.Is(err, errNotConfirmed) {
			return nil, nil
		}
		return nil, err
	}
	return p.establish(ctx, in, c, e, n, file, old, moved)
}

// noteConnected tells that there was nothing to do.
func (p *program) noteConnected(c *client, e *clientfile.Endpoint, file *clientfile.File) {
	p.note("%s is already connected, in %s", c.name, file.Name)
	if text := readableByOthers(file.Name); text != "" && e.Command == "" {
		p.note("Warning: %s. To change that, run: %s", text, makePrivate(file.Name))
	}
}

// takesOver reports whether connect replaces the entry of another data directory. It tells the person, also if connect
// replaces an entry that leads elsewhere.
func (p *program) takesOver(c *client, old *connection, keys []loci.Credential, file *clientfile.File,
	moved *moving) bool {
	other := p.otherEntry(c, old, keys, file)
	switch {
	case other:
		p.note("The entry %s in %s already leads to Loci, but loci connect did not write it for this data directory. Loci "+
			"takes it over: disconnect will remove it.", quoted(c.format.EntryName()), file.Name)
	case moved == nil && clientfile.Entry(c.format, file.Parsed) != nil && p.ownEntry(c, old, keys, file) == nil:
		p.note("The entry %s in %s was not written by loci connect. Loci replaces it: disconnect will restore it.",
			quoted(c.format.EntryName()), file.Name)
	}
	return other
}

// preview shows the person what connect changes, without a key.
func (p *program) preview(c *client, e *clientfile.Endpoint, n *connection, file *clientfile.File) error {
	like := *e
	like.Key = loci.Secret(auth.AgentKeyPrefix + "…")
	after, err := file.With(c.format, &like, n.updates)
	switch {
	case err != nil:
		return err
	case file.Existed:
		p.noteOddities(c, file)
		p.note("This changes %s:\n%s", file.Name, clientfile.Difference(file.Text, after))
	default:
		p.note("This creates %s, with Loci as the only server.", file.Name)
	}
	return p.clean(c, n.rest, false)
}

// establish creates the key, imports the graph of a replaced server, keeps a copy of the file, and writes it. If
// anything fails, it revokes the key and takes the import and the record back.
func (p *program) establish(ctx context.Context, in *instance, c *client, e *clientfile.Endpoint, n *connection,
	file *clientfile.File, old *connection, moved *moving) (_ *connected, err error) {
	if n.KeyID, err = in.newKey(ctx, c, e, keyConnected); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil && !n.KeyID.IsZero() {
			err = errors.Join(err, in.app.Identity.RevokeKey(context.WithoutCancel(ctx), in.operator, n.KeyID))
		}
	}()
	after, err := file.With(c.format, e, n.updates)
	if err != nil {
		return nil, err
	}
	previous, err := c.format.Find(n.original)
	if err != nil {
		return nil, err
	}
	n.KeyHash, n.Previous, n.Written = hashOf(e.Key), string(previous), digest(after)
	if err := moved.run(ctx, p, in); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, moved.undo(context.WithoutCancel(ctx), p, in))
		}
	}()
	if err := p.writeConnection(c, n, old, file, after); err != nil {
		return nil, err
	}
	if err := p.clean(c, n.rest, true); err != nil {
		p.note("Loci is connected, but an entry of it remains elsewhere: %s", loci.SafeText(err))
	}
	if old != nil {
		if err := in.revokeKeysOf(ctx, old); err != nil {
			p.log.WarnContext(ctx, "cannot revoke the old key", "credential", old.KeyID.String(), "error", err)
		}
	}
	p.reportConnected(ctx, c, e, n)
	done := &connected{Client: c.id, File: n.File, KeyID: n.KeyID, Project: n.Project, Imported: moved.result()}
	if n.Existed {
		done.Backup = p.connectionFile(c.record, backupSuffix)
	}
	return done, nil
}

func (p *program) reportConnected(ctx context.Context, c *client, e *clientfile.Endpoint, n *connection) {
	if !p.json {
		p.printf("connected %s: %s\n", c.name, c.hint)
	}
	if e.Command == "" {
		p.noteNotRunning(ctx, p.server())
	}
	original := ""
	if n.Existed {
		original = "The original file is in " + p.connectionFile(c.record, backupSuffix) + ". "
	}
	p.note("%sTo undo, run: loci disconnect %s", original, c.id)
}
