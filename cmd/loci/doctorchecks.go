package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/vectors"
)

// examineModel reports whether the model of embeddings in use can be read. It asks no endpoint.
func (d *doctor) examineModel() {
	chosen := d.settings.chosenModel()
	if chosen == embed.Off || d.settings.Embed.Endpoint.BaseURL != "" {
		return
	}
	m, err := embed.Open(embed.Folder(modelsDir(d.settings.DataDir), chosen), embed.Prompts{})
	if err != nil {
		d.warn("model", "loci models use another one, or loci models off",
			"recall finds memories by their words only: %s", loci.OneLine(err.Error()))
		return
	}
	d.ok("model", "recall also finds by meaning, with %s (%d dimensions)", quoted(cut(chosen, 100)), m.Dims())
}

// examineVectors reports memories that wait for a vector while nothing runs that makes it.
func (d *doctor) examineVectors(ctx context.Context, in *instance) {
	if chosen := d.settings.chosenModel(); chosen == embed.Off || chosen == embed.BuiltIn || len(d.processes()) > 0 {
		return
	}
	orgs, err := in.orgs(ctx, "")
	for _, o := range orgs {
		var files []vectors.Stats
		if files, err = in.app.Vectors.Stats(ctx, o.ID); err != nil {
			break
		}
		all := slices.ContainsFunc(files, func(s vectors.Stats) bool { return s.Complete && s.Waiting == 0 })
		words, e := in.app.Index.Stats(ctx, o.ID)
		if e == nil && !all && words.Rows+words.Memory > 0 {
			d.warn("model", "loci serve, or "+rebuildLine(o.ID), "memories of %s have no vectors yet, and no server runs "+
				"that makes them; recall finds those by their words only", o.ID)
		}
	}
	d.failed("model", d.remedy(err), err)
}

// examineArcs names the orgs whose events go to Arc, but which have none, and the first one whose Arc key the master
// key does not open, as the start of a server does.
func (d *doctor) examineArcs(ctx context.Context, in *instance) {
	if err := in.events.Check(ctx); err != nil {
		d.fail("arc", "set LOCI_MASTER_KEY or replace the key, as the message says", "%s", loci.OneLine(err.Error()))
	}
	err := in.inOrgs(ctx, "", func(who loci.Principal) error {
		o, err := in.app.Org.Show(ctx, in.operator, who.OrgID)
		if err != nil || !d.keepsInArc(o) {
			return err
		}
		_, err = in.app.Org.Arc(ctx, who)
		if loci.CodeOf(err) != loci.NotFound {
			return err
		}
		d.fail("arc", addArc(o.ID), "%s", noArc(o.ID))
		return nil
	})
	d.failed("arc", "read the message", err)
}

// examineJobs names the jobs of servers whose last turn failed.
func (d *doctor) examineJobs(ctx context.Context, in *instance) {
	list, err := in.app.Deployment.Jobs(ctx, in.operator)
	if d.failed("jobs", d.remedy(err), err) {
		return
	}
	for _, j := range list {
		if j.Error != "" {
			d.warn("jobs", "look in the log of the server for the reason", "%s failed at %s: %s", j.Name,
				d.showTime(j.EndedAt), loci.OneLine(j.Error))
		}
	}
}

// examineProjects counts the projects of all orgs, and names those that are open to an org and those whose files are
// being moved.
func (d *doctor) examineProjects(ctx context.Context, in *instance) {
	count, open, err := in.countProjects(ctx)
	if d.failed("projects", "read the message", err) {
		return
	}
	d.ok("projects", "%d active, %d archived", count[loci.ProjectActive], count[loci.ProjectArchived])
	if len(open) > 0 {
		d.ok("projects", "open to everybody in their org: %s; to close one: loci project set PROJECT everyone=off",
			strings.Join(open, ", "))
	}
	list, err := in.store.UnsettledProjects(ctx)
	if d.failed("projects", "read the message", err) {
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

// renamedAgents returns a sentence for each agent that an update of Loci renamed, until somebody changes its
// description.
func (in *instance) renamedAgents(ctx context.Context) (list []string, err error) {
	err = in.inOrgs(ctx, "", func(who loci.Principal) error {
		agents, err := in.agents(ctx, who)
		for _, a := range agents {
			if before, renamed := strings.CutPrefix(a.Description, loci.RenamedText); renamed {
				list = append(list, fmt.Sprintf("an update of Loci renamed the agent %s to %s, because names occur once in an org",
					quoted(before), quoted(a.Name)))
			}
		}
		return err
	})
	return list, err
}

// fixRenamed is what to do about an agent that an update renamed.
const fixRenamed = "if its programs use the old name, change them; then loci agent update AGENT --description TEXT"

func (d *doctor) examineAgents(ctx context.Context, in *instance) {
	list, err := in.renamedAgents(ctx)
	d.failed("agents", "read the message", err)
	for _, text := range list {
		d.warn("agents", fixRenamed, "%s", text)
	}
}
