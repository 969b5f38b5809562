package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) historyCommand() *cobra.Command {
	var limit, before int
	cmd := &cobra.Command{
		Use:         "history ID",
		Short:       "Show every version of a memory, newest first",
		Args:        cobra.ExactArgs(1),
		Annotations: does(app.MemoryHistory),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), refuse, func(in *instance) error {
				versions, current, err := in.app.Versions(cmd.Context(), in.operator, id, before, limit)
				if err != nil {
					return aboutMemory(id, err)
				}
				if p.json {
					if versions == nil {
						versions = []*loci.Version{}
					}
					return p.printJSON(map[string]any{"current": current, "versions": versions, "has_more": hasOlder(versions)})
				}
				p.printHistory(current, versions, before == 0)
				if hasOlder(versions) {
					p.note("there is more: repeat with --before %d", versions[len(versions)-1].Version)
				}
				return nil
			})
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "how many old versions")
	cmd.Flags().IntVar(&before, "before", 0, "only versions older than this one")
	return cmd
}

func (p *program) printHistory(current *loci.Memory, versions []*loci.Version, whole bool) {
	var rows [][]string
	row := func(m *loci.Memory) {
		rows = append(rows, []string{strconv.Itoa(m.Version), showTime(m.UpdatedAt), string(m.Change), m.Editor, joinVendors(m.AllowedVendors), cut(m.Title, 40), cut(m.Content, 60)})
	}
	if whole {
		row(current)
	}
	for _, v := range versions {
		row(&v.Memory)
	}
	p.printTable([]string{"VERSION", "FROM", "CHANGE", "BY", "VISIBLE TO", "TITLE", "CONTENT"}, rows)
}

func hasOlder(versions []*loci.Version) bool {
	return len(versions) > 0 && versions[len(versions)-1].Version > 1
}
