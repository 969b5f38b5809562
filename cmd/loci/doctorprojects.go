package main

import (
	"context"
	"strings"

	"github.com/loci-memory/loci"
)

// examineProjects counts projects, and names those whose files are on the move.
// Their files are looked at with the others.
func (d *doctor) examineProjects(ctx context.Context, in *instance) {
	count, err := in.countProjects(ctx)
	if err != nil {
		d.fail("projects", "see the text", "%s", loci.OneLine(err.Error()))
		return
	}
	d.ok("projects", "active %d, archived %d", count[loci.ProjectActive], count[loci.ProjectArchived])
	list, err := in.store.UnsettledProjects(ctx)
	if err != nil {
		d.fail("projects", "see the text", "%s", loci.OneLine(err.Error()))
		return
	}
	if len(list) > 0 {
		d.warn("projects", "loci doctor again; if it stays, the log says what is in the way", "another process is at work on them, or they could not be finished: %s", strings.Join(list, ", "))
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
