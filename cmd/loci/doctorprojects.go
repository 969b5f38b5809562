package main

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
)

// examineProjects counts the projects of all orgs, and names those that are open to an org and those whose files are
// being moved.
func (d *doctor) examineProjects(ctx context.Context, in *instance) {
	count, open, err := in.countProjects(ctx)
	if err != nil {
		d.fail("projects", "read the message", "%s", loci.OneLine(err.Error()))
		return
	}
	d.ok("projects", "%d active, %d archived", count[loci.ProjectActive], count[loci.ProjectArchived])
	if len(open) > 0 {
		d.ok("projects", "open to everybody in their org: %s; to close one: loci project set PROJECT everyone=off",
			strings.Join(open, ", "))
	}
	list, err := in.store.UnsettledProjects(ctx)
	if err != nil {
		d.fail("projects", "read the message", "%s", loci.OneLine(err.Error()))
		return
	}
	if len(list) > 0 {
		d.warn("projects", "run loci doctor again; if this stays, read the log",
			"another process is moving these projects, or moving them failed: %s", strings.Join(list, ", "))
	}
}

// countProjects counts the projects of all orgs by their status. open names those that everybody in their org belongs
// to.
func (in *instance) countProjects(ctx context.Context) (count map[loci.ProjectStatus]int, open []string, err error) {
	count = map[loci.ProjectStatus]int{}
	orgs, err := in.orgs(ctx, "")
	for _, org := range orgs {
		who, err := in.inOrg(ctx, string(org.ID))
		if err != nil {
			return nil, nil, err
		}
		list, err := in.projects(ctx, who, "", 0)
		if err != nil {
			return nil, nil, err
		}
		for _, x := range list {
			if count[x.Status]++; x.Everyone {
				open = append(open, quoted(x.Name)+orgHint(who))
			}
		}
	}
	return count, open, err
}
