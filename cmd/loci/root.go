package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/loci-memory/loci/internal/gate"
)

// program is one run of the command line.
type program struct {
	in       io.Reader
	answers  *bufio.Reader // of questions; nil: none yet
	out, err io.Writer
	environ  []string
	called   string // how the person calls this program; "": loci

	json      bool
	yes       bool // do not ask for confirmation
	settings  *settings
	log       *slog.Logger
	screen    screen
	meter     *meter // of the long work that is running; nil: none
	noPager   bool
	vendors   []namedVendor  // that --as and --allow name
	asVendor  bool           // --as: the command shows what a vendor sees, which may be less than the person sees
	unwritten error          // the first error of standard output
	commands  *cobra.Command // all of them; messages propose some
	started   bool           // the command line is valid; later errors are not usage errors
}

// execute runs one command line and returns its exit code.
func (p *program) execute(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(flagMistake)
	refuseUnknown(root, args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = p.unwritten
	}
	if err == nil {
		return exitOK
	}
	if !p.started {
		err = usagef("%w; see %s --help", err, commandOf(root, args).CommandPath())
	}
	p.report(inFlags(cmd, err), p.json || slices.Contains(args, "--json"))
	return exitCode(err)
}

func commandOf(root *cobra.Command, args []string) *cobra.Command {
	if cmd, _, err := root.Find(args); err == nil {
		return cmd
	}
	return root
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:     "loci",
		Short:   "One memory for every AI you use",
		Version: readBuildInfo().Version,
		Long: `Loci is one memory for every AI you use. Each assistant can find what the others
wrote, unless you hide it.

Start with "loci serve", then run "loci connect". All other commands work on the same
data directory, with or without a running server.

Exit codes: 0 success, 1 failure, 2 invalid usage or value, 3 not found, 4 not allowed,
5 data directory unusable (full, read-only, damaged, newer), 6 conflict (in use,
exists, other version), 130 interrupted.`,
		SilenceUsage: true, SilenceErrors: true,
		Annotations: onlyHelps(),
		RunE:        func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if isCompletion(cmd) {
				p.started = true
				return nil
			}
			if err := errors.Join(missingFlags(cmd), combinedFlags(cmd), checkLimit(cmd)); err != nil {
				return err
			}
			p.started = true
			err := p.configure(cmd)
			p.noteTags(cmd.Flags())
			return err
		},
	}
	flags := root.PersistentFlags()
	flags.String("data-dir", "", "data directory (default: the platform's place for your data; LOCI_DATA_DIR)")
	flags.String("config", "", "configuration file in TOML (LOCI_CONFIG)")
	flags.String("log-level", "", "debug, info, warn or error; logs go to standard error (LOCI_LOG_LEVEL)")
	flags.BoolVar(&p.json, "json", false, "print JSON, including errors")
	flags.BoolVar(&p.noPager, "no-pager", false, "do not show long output in a pager")
	for _, group := range p.commandGroups() {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, c := range group.commands {
			c.GroupID = group.id
			root.AddCommand(c)
		}
	}
	takeArguments(root)
	p.takeValues(root)
	p.commands = root
	return root
}

type commandGroup struct {
	id, title string
	commands  []*cobra.Command
}

func (p *program) commandGroups() []commandGroup {
	return []commandGroup{
		{"run", "Run:", []*cobra.Command{p.serveCommand(), p.statusCommand(), p.openCommand(), p.mcpCommand(),
			p.demoCommand()}},
		{"memory", "Memories:", []*cobra.Command{p.addCommand(), p.searchCommand(), p.recallCommand(), p.listCommand(),
			p.showCommand(), p.editCommand(), p.trashCommand(), p.restoreCommand(), p.shareCommand(), p.unshareCommand(),
			p.historyCommand(), p.contextCommand(), p.reflectCommand(), p.reviewCommand()}},
		{"more", "More about memories:", []*cobra.Command{p.suggestionCommand(), p.agentCommand(), p.sessionCommand(),
			p.eventsCommand(), p.assetCommand(), p.sourceCommand(), p.nodeCommand(), p.changesCommand(),
			p.diffCommand(), p.revertCommand(), p.undoCommand()}},
		{"graph", "Projects, their graphs and tasks:", []*cobra.Command{p.projectCommand(), p.graphCommand(),
			p.taskCommand()}},
		{"connect", "Connect assistants:", []*cobra.Command{p.connectCommand(), p.disconnectCommand(), p.hookCommand(),
			p.keyCommand(), p.agentKeyCommand()}},
		{"people", "Orgs and people:", []*cobra.Command{p.orgCommand(), p.userCommand(), p.teamCommand(),
			p.workspaceCommand(), p.oauthCommand(), p.auditCommand(), p.keygenCommand(), p.masterKeyCommand()}},
		{"care", "Maintain the data:", []*cobra.Command{p.importCommand(), p.exportCommand(), p.backupCommand(),
			p.dreamCommand(), p.indexCommand(), p.modelsCommand(), p.settingsCommand(), p.doctorCommand(), p.benchCommand(),
			p.evalCommand(), p.goldenCommand(), p.manCommand(),
			p.versionCommand()}},
	}
}

// group is a command that only lists its subcommands.
func group(use, short, long string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Annotations: onlyHelps(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(below...)
	return cmd
}

func (p *program) yesFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.yes, "yes", false, "do not ask for confirmation")
}

// configure reads the settings once the flags are known.
func (p *program) configure(cmd *cobra.Command) (err error) {
	if err := checkEmpty(cmd); err != nil {
		return err
	}
	if p.settings, err = loadSettings(p.environ, cmd.Flags()); err != nil {
		return err
	}
	p.vendors = vendorsIn(cmd.Flags())
	p.asVendor = slices.ContainsFunc(p.vendors, func(n namedVendor) bool { return n.flag == "--as" })
	p.screen = p.findScreen(p.settings)
	p.log = p.logger(cmd.Context())
	if p.json || slices.Contains(showWarnings, cmd.CommandPath()) {
		return nil
	}
	for _, text := range p.settings.unknown() {
		p.note("warning: %s", text)
	}
	return nil
}

// showWarnings are the commands that show all warnings about the settings.
var showWarnings = []string{"loci serve", "loci mcp", "loci status", "loci doctor"}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// version is the number of the release, or of the next one with -dev. Every surface reports it.
const version = "0.1.0-dev"

// buildInfo is the version information of the program.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Built    string `json:"commit_time,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func readBuildInfo() buildInfo {
	b := buildInfo{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Built = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Print version information",
		Annotations: needsNoAction("prints build information"),
		RunE: func(*cobra.Command, []string) error {
			b := readBuildInfo()
			if p.json {
				return p.printJSON(b)
			}
			p.printf("loci %s (%s, %s)\n", b.Version, b.Go, b.Platform)
			if b.Commit != "" {
				p.printf("commit %s of %s\n", b.Commit, b.Built)
			}
			return nil
		},
	}
}

// These are the annotations of a command: the actions that it uses, or the reason why it uses none.
const (
	actionNote = "action"
	localNote  = "local"
)

// does annotates a command with its actions. Listing keys for a hint about --as and --allow is not among them.
func does(actions ...gate.Action) map[string]string {
	return map[string]string{actionNote: strings.ReplaceAll(joined(actions), ",", " ")}
}

// needsNoAction annotates a command that uses no action.
func needsNoAction(reason string) map[string]string { return map[string]string{localNote: reason} }

// onlyHelps annotates a command that only lists its subcommands.
func onlyHelps() map[string]string { return needsNoAction("prints its help") }

// logger returns a log for standard error, as the settings want it. ctx is that of the command.
func (p *program) logger(ctx context.Context) *slog.Logger {
	options := &slog.HandlerOptions{Level: p.settings.LogLevel}
	if p.settings.LogJSON {
		return slog.New(&quietLog{slog.NewJSONHandler(p.err, options), ctx})
	}
	return slog.New(&quietLog{slog.NewTextHandler(p.err, options), ctx})
}

// quietLog leaves out what fails only because the person has interrupted the command, which says so itself.
type quietLog struct {
	slog.Handler
	command context.Context //nolint:containedctx // lives as long as the command
}

func (h *quietLog) Handle(ctx context.Context, r slog.Record) error {
	cancelled := false
	if h.command.Err() != nil {
		r.Attrs(func(a slog.Attr) bool {
			err, ok := a.Value.Any().(error)
			cancelled = ok && errors.Is(err, context.Canceled)
			return !cancelled
		})
	}
	if cancelled {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}

func (h *quietLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &quietLog{h.Handler.WithAttrs(attrs), h.command}
}

func (h *quietLog) WithGroup(name string) slog.Handler {
	return &quietLog{h.Handler.WithGroup(name), h.command}
}
