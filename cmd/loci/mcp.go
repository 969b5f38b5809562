package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// mcpFlags are those of `loci mcp`.
type mcpFlags struct {
	vendor, transport, project, session, compat string
	port                                        int
}

const (
	overStdio = "stdio"
	overHTTP  = "http"

	defaultMCPPort = 8081
)

func (p *program) mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve MCP only: to one assistant over standard input and output, or over HTTP",
		Long: `Serve MCP to one assistant over standard input and output. The client starts this
command, in a directory of its choice, so --data-dir should be a whole path. Any number of
them and a server can share one data directory.

Over standard input and output, an assistant may permanently delete a project with its
graph, but not trash a memory. To leave the graph tools out, pass --toolsets memory.

With --transport http, serve MCP on 127.0.0.1, at /mcp. It requires no key until an
agent key exists; then every request requires one. For REST, pages and other machines,
run loci serve.`,
		Example: `  loci mcp --vendor claude
  loci mcp --transport http --port 8081 --data-dir ./data
  loci mcp --toolsets graph --project website
  loci mcp --compat reference --project memory`,
		Annotations: needsNoAction("starts a surface, whose tools name their actions"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := f.check(cmd)
			if err != nil {
				return err
			}
			if f.transport == overHTTP {
				return p.serveMCP(cmd.Context(), &f, v)
			}
			if p.settings.DirRelative {
				return loci.FieldErrorf(nameOf("data_dir", p.settings.Flags),
					"must be a whole path here, such as %q, or begin with ./: the client "+
						"chooses the directory in which it starts Loci", p.settings.DataDir)
			}
			return p.with(cmd.Context(), create, func(in *instance) error { return p.serveStdio(cmd.Context(), in, &f, v) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.vendor, "vendor", string(loci.LocalVendor),
		"vendor of the assistant: claude, cursor, codex, …; over http, of clients without a key")
	flags.StringVar(&f.transport, "transport", overStdio, "stdio or http")
	flags.IntVar(&f.port, "port", defaultMCPPort, "port on 127.0.0.1, for http; 0: any free port")
	flags.StringVar(&f.project, "project", "", "project of graph tools if neither call nor session names one")
	flags.StringVar(&f.session, "session", "",
		"active session to work in, by id or title (loci session create); over http, of clients without a key")
	mcpSettings(cmd)
	compatFlag(cmd, &f.compat)
	return cmd
}

// who returns the principal of clients without a key: the vendor, in the session of --session.
func (f *mcpFlags) who(in *instance, vendor loci.Vendor) mcpserver.Who {
	return func(ctx context.Context) (loci.Principal, error) {
		p, err := in.auth.Local(ctx, vendor)
		if err != nil {
			return p, err
		}
		in.auth.Used(ctx, p)
		return in.during(ctx, p, f.session)
	}
}

// mcpSettings adds the flags of the settings about MCP, which LOCI_TOOLSETS and LOCI_ANSWER_TOKENS set, too.
func mcpSettings(cmd *cobra.Command) {
	cmd.Flags().String("toolsets", "", "toolsets to offer: "+strings.Join(mcpserver.Toolsets(), ", ")+
		" (default: "+strings.Join(mcpserver.DefaultToolsets(), ",")+"; LOCI_TOOLSETS)")
	cmd.Flags().String("answer-tokens", "", fmt.Sprintf("most tokens of an answer to an assistant, %d to %d "+
		"(default %d; LOCI_ANSWER_TOKENS)", mcpserver.MinAnswerTokens, mcpserver.MaxAnswerTokens,
		mcpserver.DefaultAnswerTokens))
	embedModelFlag(cmd.Flags().String)
}

// compatFlag adds --compat, which replaces the toolsets. The command must have --toolsets.
func compatFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "compat", "",
		"offer another server's tools instead of toolsets: reference (the reference memory server's)")
	cmd.MarkFlagsMutuallyExclusive("compat", "toolsets")
}

// check returns the vendor, or an error if the flags are invalid.
func (f *mcpFlags) check(cmd *cobra.Command) (loci.Vendor, error) {
	if f.transport != overStdio && f.transport != overHTTP {
		return "", loci.FieldErrorf("--transport", "must be stdio or http, not %q", cut(f.transport, 60))
	}
	if f.transport == overStdio && cmd.Flags().Changed("port") {
		return "", usagef("--port requires --transport http")
	}
	if f.port < 0 || f.port > 65535 {
		return "", loci.FieldErrorf("--port", "must be from 0 to 65535")
	}
	if _, err := mcpserver.ParseCompat(f.compat); err != nil {
		return "", loci.FieldErrorf("--compat", "must be %s", mcpserver.CompatReference)
	}
	return parseVendor("--vendor", f.vendor)
}

// noteProject notes that the project of --project is missing or archived. That is no error: a client may create it.
func (p *program) noteProject(ctx context.Context, in *instance, who mcpserver.Who, name string) error {
	if name == "" {
		return nil
	}
	me, err := who(ctx)
	if err != nil {
		return err
	}
	x, err := in.app.Project.Find(ctx, me, name)
	switch {
	case loci.CodeOf(err) == loci.NotFound:
		p.note("project %s does not exist yet; create it with: loci project create %s", quoted(cut(name, 100)),
			quoted(cut(name, 100)))
		return nil
	case err == nil && x.Status == loci.ProjectArchived:
		p.note("project %s is archived; restore it with: loci project restore %s", quoted(name), quoted(name))
	}
	return err
}

func (p *program) serveStdio(ctx context.Context, in *instance, f *mcpFlags, vendor loci.Vendor) error {
	who := f.who(in, vendor)
	if _, err := who(ctx); err != nil {
		return err
	}
	if err := p.noteProject(ctx, in, who, f.project); err != nil {
		return err
	}
	server := mcpserver.New(mcpserver.Options{App: in.app, Auth: in.auth, Log: p.log, Version: readBuildInfo().Version,
		Toolsets: p.settings.Toolsets, AnswerTokens: p.settings.Answer, Compat: f.compat,
		Project: f.project, Pages: p.pagesAddress})
	defer ballast()()
	if isTerminal(p.in) {
		p.note("Loci waits for an MCP client on standard input; a client starts this command itself. To connect one, run: " +
			"loci connect. To stop, press Ctrl-C")
	}
	defer keep(ctx, in.app.Vectors.RunUsed, in.app.Graphs.Each.RunUsed, in.events.Run, in.app.Event.Run)()
	err := server.ServeStdio(ctx, who, plainText(p.in), p.out)
	if errors.Is(err, context.Canceled) {
		return nil // clients stop it this way
	}
	return err
}

// keep runs what keeps the data in order, until the returned function is called. There may be no server that does so.
func keep(ctx context.Context, tasks ...func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, task := range tasks {
		running.Go(func() { task(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// serveMCP serves MCP only, on this machine only.
func (p *program) serveMCP(ctx context.Context, f *mcpFlags, vendor loci.Vendor) (err error) {
	p.settings.Listen = net.JoinHostPort("127.0.0.1", strconv.Itoa(f.port))
	listeners, err := p.listenLocally(ctx, portFlag)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeAll(listeners)) }()
	in, err := p.open(ctx, create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	who := f.who(in, vendor)
	if err := p.noteProject(ctx, in, who, f.project); err != nil {
		return err
	}
	for _, text := range p.settings.warnings() {
		p.log.Warn(text)
	}
	keys, err := in.auth.AgentsExist(ctx)
	if err != nil {
		return err
	}
	open := who
	if keys || p.settings.PublicURL != "" { // a proxy may forward clients of other people
		open = nil
	}
	this := p.serves(listeners[0].Addr())
	this.SignIn, this.MCPOnly = false, true
	withdraw, err := p.announce(this)
	if err != nil {
		return err
	}
	defer withdraw()
	p.greetMCP(listeners[0].Addr(), open != nil)
	o := mcpserver.Options{Project: f.project, Compat: f.compat, Open: open}
	return p.run(ctx, in, listeners, p.handler(in, o, nil, this.Instance))
}

// greetMCP prints on standard error where and how clients connect.
func (p *program) greetMCP(address net.Addr, open bool) {
	url := mcpURL(cmp.Or(p.settings.PublicURL, localURL(address.String())))
	p.note("MCP is at %s", url)
	p.note("Memories are in %s", p.settings.where())
	header := ""
	if !open {
		p.note("Clients require an agent key: loci agent-key create --vendor VENDOR --name NAME")
		header = ` --header "Authorization: Bearer KEY"`
	} else {
		p.note("Clients require no key until an agent key exists")
	}
	p.note("Connect Claude Code: claude mcp add --scope user --transport http %s %s%s", clientfile.ServerName, url, header)
}

// portFlag is the flag that chooses another port for MCP.
func portFlag(port string) string { return fmt.Sprintf("--port %s", port) }
