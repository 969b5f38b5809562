package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// program is one run of the command line.
type program struct {
	in       io.Reader
	out, err io.Writer
	environ  []string

	json      bool
	settings  *settings
	log       *slog.Logger
	unwritten error // the first that standard output gave to printf
	started   bool  // the command line was understood; what fails now is not its fault
}

// execute runs one command line and returns its exit code.
func (p *program) execute(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return plainFlagError(err) })
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
	report(p.err, inFlags(cmd, err), p.json || slices.Contains(args, "--json"))
	return exitCode(err)
}

// plainFlagError says what a flag takes where the library would name the
// function of Go that did not take it.
func plainFlagError(err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	takes := "a whole number"
	if invalid.GetFlag().Value.Type() == "bool" {
		takes = "true or false"
	}
	return fmt.Errorf("--%s must be %s", invalid.GetFlag().Name, takes)
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
		Long: `Loci is one memory for every AI you use. What one assistant writes, the others
can find, unless you said that they may not.

Begin with "loci serve"; it prints how to connect your assistants. Every other
command works on the same data directory, whether the server is up or not.

Exit codes: 0 done, 1 failed, 2 wrong usage or value, 3 not found, 4 not allowed,
5 the data directory cannot be used (full, read-only, damaged, newer), 6 conflict
(in use, exists, other version), 130 interrupted.`,
		SilenceUsage: true, SilenceErrors: true,
		Args:        cobra.NoArgs,
		Annotations: onlyHelps(),
		RunE:        func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.ValidateRequiredFlags(); err != nil {
				return err
			}
			p.started = true
			return p.configure(cmd)
		},
	}
	flags := root.PersistentFlags()
	flags.String("data-dir", "", "where the memories are (default: the platform's place for your data; LOCI_DATA_DIR)")
	flags.String("config", "", "configuration file in TOML (LOCI_CONFIG)")
	flags.String("log-level", "", "debug, info, warn or error; logs go to standard error (LOCI_LOG_LEVEL)")
	flags.BoolVar(&p.json, "json", false, "print JSON; errors too")
	root.AddGroup(&cobra.Group{ID: "run", Title: "Run:"}, &cobra.Group{ID: "memory", Title: "Memories:"}, &cobra.Group{ID: "more", Title: "More about memories:"}, &cobra.Group{ID: "graph", Title: "Projects and their graphs:"},
		&cobra.Group{ID: "connect", Title: "Connect assistants:"}, &cobra.Group{ID: "people", Title: "Orgs and people:"}, &cobra.Group{ID: "care", Title: "Take care of the data:"})
	for group, commands := range map[string][]*cobra.Command{
		"run":     {p.serveCommand(), p.mcpCommand(), p.demoCommand()},
		"graph":   {p.projectCommand(), p.graphCommand()},
		"memory":  {p.addCommand(), p.searchCommand(), p.recallCommand(), p.listCommand(), p.showCommand(), p.editCommand(), p.trashCommand(), p.restoreCommand(), p.shareCommand(), p.unshareCommand(), p.historyCommand()},
		"more":    slices.Concat(p.suggestionCommands(), p.agentCommands(), p.assetCommands(), p.nodeCommands(), p.undoCommands()),
		"connect": {p.connectCommand(), p.disconnectCommand(), p.keyCommand(), p.agentKeyCommand()},
		"people":  {p.orgCommand(), p.userCommand(), p.teamCommand(), p.workspaceCommand(), p.sessionCommand(), p.oauthCommand(), p.auditCommand()},
		"care":    {p.importCommand(), p.exportCommand(), p.backupCommand(), p.doctorCommand(), p.benchCommand(), p.versionCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	return root
}

// configure reads the settings once the flags are known.
func (p *program) configure(cmd *cobra.Command) (err error) {
	if p.settings, err = loadSettings(p.environ, cmd.Flags()); err != nil {
		return err
	}
	options := &slog.HandlerOptions{Level: p.settings.LogLevel}
	p.log = slog.New(slog.NewTextHandler(p.err, options))
	if p.settings.LogJSON {
		p.log = slog.New(slog.NewJSONHandler(p.err, options))
	}
	return nil
}

// isTerminal reports whether a person looks at w, or types into it.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
