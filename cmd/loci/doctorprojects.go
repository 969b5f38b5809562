package main

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
)

// examineProjects counts projects, and names those whose files are being moved.
func (d *doctor) examineProjects(ctx context.Context, in *instance) {
	count, err := in.countProjects(ctx)
	if err != nil {
		d.fail("projects", "read the message", "%s", loci.OneLine(err.Error()))
		return
	}
	d.ok("projects", "%d active, %d archived", count[loci.ProjectActive], count[loci.ProjectArchived])
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

// countProjects counts the projects of all orgs by their status.
func (in *instance) countProjects(ctx context.Context) (map[loci.ProjectStatus]int, error) {
	count := map[loci.ProjectStatus]int{}
	orgs, err := in.orgs(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, org := range orgs {
		who, err := in.inOrg(ctx, string(org.ID))
		if err != nil {
			return nil, err
		}
		list, err := in.projects(ctx, who, "", 0)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			count[x.Status]++
		}
	}
	return count, nil
}
