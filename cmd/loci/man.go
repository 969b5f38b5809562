package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (p *program) manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "man", Short: "Write man pages, one for each command", Annotations: needsNoAction("writes its own help"),
		Long: `Write man pages, one for each command, to a directory. "man" finds those in a
directory man1 of its path: see "manpath".`,
		Example: `  loci man --dir ~/.local/share/man/man1
  man loci-graph-add`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			n, err := writeManPages(cmd.Root(), dir)
			return p.answer(map[string]any{"dir": dir, "pages": n}, err, "wrote %d man pages to %s", n, dir)
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "directory to write to")
	if err := cmd.MarkFlagRequired("dir"); err != nil {
		panic(err) // the flag exists
	}
	return cmd
}

// writeManPages writes the pages of a command and of those below it, and returns how many it wrote.
func writeManPages(cmd *cobra.Command, dir string) (n int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // everybody may read the manual
		return 0, err
	}
	cmd.InitDefaultHelpFlag()
	page := md2man.Render([]byte(manual(cmd)))
	//nolint:gosec // everybody may read the manual
	if err := os.WriteFile(filepath.Join(dir, manName(cmd)+".1"), page, 0o644); err != nil {
		return 0, err
	}
	n = 1
	for _, sub := range cmd.Commands() {
		if !documented(sub) {
			continue
		}
		more, err := writeManPages(sub, dir)
		if n += more; err != nil {
			return n, err
		}
	}
	return n, nil
}

func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func documented(cmd *cobra.Command) bool {
	return cmd.IsAvailableCommand() && !cmd.IsAdditionalHelpTopicCommand()
}

// manual returns the page of a command as md2man reads it. Package cobra/doc does the same, but it brings a library for
// YAML, which would be a part of the binary.
func manual(cmd *cobra.Command) string {
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "# %s\n%s\n\n", title, text)
		}
	}
	fmt.Fprintf(&b, "%% \"%s\" \"1\" \"\" \"Loci %s\" \"Loci\"\n", strings.ToUpper(manName(cmd)),
		readBuildInfo().Version)
	section("NAME", manName(cmd)+" - "+cmd.Short)
	section("SYNOPSIS", "**"+cmd.UseLine()+"**")
	section("DESCRIPTION", cmp.Or(cmd.Long, cmd.Short))
	section("OPTIONS", manFlags(cmd.NonInheritedFlags()))
	section("OPTIONS INHERITED FROM PARENT COMMANDS", manFlags(cmd.InheritedFlags()))
	if cmd.Example != "" {
		section("EXAMPLE", "```\n"+cmd.Example+"\n```")
	}
	var others []string
	if cmd.HasParent() {
		others = append(others, "**"+manName(cmd.Parent())+"(1)**")
	}
	for _, sub := range cmd.Commands() {
		if documented(sub) {
			others = append(others, "**"+manName(sub)+"(1)**")
		}
	}
	section("SEE ALSO", strings.Join(others, ", "))
	return b.String()
}

// manFlags describes flags, each in a paragraph.
func manFlags(flags *pflag.FlagSet) string {
	var list []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		name := "**--" + f.Name + "**"
		if f.Shorthand != "" {
			name = "**-" + f.Shorthand + "**, " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + kind
		}
		list = append(list, name+"\n\t"+usage)
	})
	return strings.Join(list, "\n\n")
}
