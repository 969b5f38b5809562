package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
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
			if err == nil && p.json {
				return p.printJSON(map[string]any{"dir": dir, "pages": n})
			}
			if err == nil {
				p.printf("wrote %d man pages to %s\n", n, dir)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "directory to write to")
	if err := cmd.MarkFlagRequired("dir"); err != nil {
		panic(err) // the flag exists
	}
	return cmd
}

// writeManPages writes the pages of a command and of those below it, and returns how many are in dir.
func writeManPages(cmd *cobra.Command, dir string) (int, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // everybody may read the manual
		return 0, err
	}
	cmd.DisableAutoGenTag = true // the date of the header is enough
	err := doc.GenManTreeFromOpts(cmd, doc.GenManTreeOptions{Path: dir, CommandSeparator: "-",
		Header: &doc.GenManHeader{Section: "1", Source: "Loci " + readBuildInfo().Version, Manual: "Loci"}})
	if err != nil {
		return 0, err
	}
	pages, err := filepath.Glob(filepath.Join(dir, cmd.Name()+"*.1"))
	return len(pages), err
}
