package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/project"
)

func (p *program) projectCommand() *cobra.Command {
	return group("project", "Manage projects, each with its own knowledge graph",
		`Manage projects. Each has its own knowledge graph in its own file (loci graph).
PROJECT is a name or an id, USER an id or an e-mail address.`,
		p.projectCreateCommand(), p.projectListCommand(), p.projectShowCommand(), p.projectRenameCommand(),
		p.projectSetCommand(),
		p.projectMoveCommand("archive", "Archive a project: make it read-only and keep its data", "archived",
			project.Archive,
			(*project.Service).Archive),
		p.projectMoveCommand("restore", "Restore an archived project", "restored", project.Restore,
			(*project.Service).Restore),
		p.projectDeleteCommand(), p.projectMembersCommand(), p.projectAddCommand(), p.projectRemoveCommand())
}

// project finds the project that s names, as project.Service.Find reads it.
func (in *instance) project(ctx context.Context, who loci.Principal, s string) (loci.Project, error) {
	found, err := in.app.Project.Find(ctx, who, s)
	if loci.CodeOf(err) != loci.NotFound {
		return found, err
	}
	text, join := err.Error(), "; "
	if strings.HasSuffix(text, "?") {
		join = " "
	}
	return found, loci.WrapError(loci.NotFound, err, "%s%ssee `loci project list --status all%s`", text, join,
		orgHint(who))
}

// projectID returns the id of a named project, zero for "".
func (in *instance) projectID(ctx context.Context, who loci.Principal, name string) (id loci.ProjectID, err error) {
	if name == "" {
		return id, nil
	}
	x, err := in.project(ctx, who, name)
	return x.ID, err
}

func (in *instance) projectIDs(ctx context.Context, who loci.Principal, names []string) (ids []loci.ProjectID,
	err error) {
	for _, name := range names {
		x, err := in.project(ctx, who, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, x.ID)
	}
	return ids, nil
}

func (p *program) projectChanged(done string, x loci.Project, err error) error {
	return p.answer(x, err, "%s %s: %s\n%s", done, x.ID, loci.OneLine(x.Name), x.Hint)
}

func (p *program) projectCreateCommand() *cobra.Command {
	var draft project.Draft
	cmd := p.acting(pickPerson|starts, &cobra.Command{
		Use: "create NAME", Short: "Create a project with an empty graph; --user becomes its owner",
		Annotations: does(project.Create),
		Example:     `  loci project create website --description "The shop's new front end"`,
	}, func(ctx context.Context, c *call) error {
		draft.Name = c.args[0]
		made, err := c.app.Project.Create(ctx, c.who, draft)
		if err == nil && !p.json {
			p.note("Who can see it: %s. To share it, run: loci project add %s USER%s", made.People(c.who), quoted(made.Name),
				orgHint(c.who))
		}
		return p.projectChanged("created", made, err)
	})
	cmd.Flags().StringVar(&draft.Description, "description", "", "what the project is about")
	readFlag(cmd, &draft.Everyone, "everyone", "",
		"on: everybody in the org belongs to it; off: only its members do (default: off)",
		func(flag, text string) (*bool, error) {
			if text == "" {
				return nil, nil
			}
			on, err := parseOnOff(flag, text)
			return &on, err
		})
	return cmd
}

func (p *program) projectListCommand() *cobra.Command {
	var want loci.ProjectStatus
	cmd := p.acting(pickOrg, &cobra.Command{
		Use: "list", Short: "List projects by name", Annotations: does(project.Read),
	}, func(ctx context.Context, c *call) error {
		list, err := c.projects(ctx, c.who, want, 0)
		if err != nil {
			return err
		}
		empty := "no " + strings.TrimLeft(string(want)+" projects", " ") + "; create one with: loci project create NAME" +
			orgHint(c.who)
		return printList(p, "projects", list, nil, empty, "NAME|ID|STATUS|PEOPLE|UPDATED|DESCRIPTION",
			func(x loci.Project) []string {
				return []string{x.Name, x.ID.String(), string(x.Status), x.People(c.who), p.showTime(x.UpdatedAt), x.Description}
			})
	})
	readFlag(cmd, &want, "status", string(loci.ProjectActive), "active, archived or all",
		oneOf(loci.ProjectActive, loci.ProjectArchived))
	return cmd
}

// projects reads all pages, or stops after most if it is not 0.
func (in *instance) projects(ctx context.Context, who loci.Principal, status loci.ProjectStatus,
	most int) (list []loci.Project, err error) {
	request := project.ListRequest{Status: status, Limit: 200}
	for {
		page, err := in.app.Project.List(ctx, who, request)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Items...)
		if request.Cursor = page.NextCursor; request.Cursor == "" || most > 0 && len(list) >= most {
			return list, nil
		}
	}
}

func (p *program) projectShowCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "show PROJECT", Short: "Show a project with its members", Annotations: does(project.Read, project.ReadMembers),
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		if p.json {
			return p.printJSON(x)
		}
		p.printFields("id", x.ID.String(), "name", x.Name, "description", x.Description,
			"status", string(x.Status), "people", x.People(c.who), "workspace", showID(x.WorkspaceID),
			"created", p.showTime(x.CreatedAt), "updated", p.showTime(x.UpdatedAt))
		p.printf("\n")
		return p.printProjectMembers(ctx, c, x)
	}))
}

func (p *program) projectRenameCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "rename PROJECT NAME", Short: "Rename a project", Annotations: does(project.Change, project.Read),
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		x, err := c.app.Project.Change(ctx, c.who, x.ID, project.Patch{Name: &c.args[1]})
		return p.projectChanged("renamed", x, err)
	}))
}

func (p *program) projectSetCommand() *cobra.Command {
	var patch project.Patch
	return p.acting(pickOrg, &cobra.Command{
		Use: "set PROJECT SETTING=VALUE…", Short: "Set a project's description and who belongs to it",
		Annotations: does(project.Change, project.Read),
		Long: `Set a project's description and who belongs to it:

  description=TEXT   what the project is about
  everyone=on        everybody in the org belongs to it
  everyone=off       only its members do (loci project add PROJECT USER)`,
		Example: `  loci project set website everyone=off description="The shop's new front end"`,
		PreRunE: func(_ *cobra.Command, args []string) (err error) {
			patch, err = projectSettings(args[1:])
			return err
		},
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		x, err := c.app.Project.Change(ctx, c.who, x.ID, patch)
		return p.projectChanged("changed", x, err)
	}))
}

func projectSettings(args []string) (patch project.Patch, err error) {
	for _, arg := range args {
		name, value, err := splitSetting(arg, "everyone=off")
		if err != nil {
			return patch, err
		}
		switch name {
		case "description":
			patch.Description = &value
		case "everyone":
			on, err := parseOnOff("everyone", value)
			if err != nil {
				return patch, err
			}
			patch.Everyone = &on
		default:
			return patch, usagef("unknown setting %q; use description or everyone", cut(name, 60))
		}
	}
	return patch, nil
}

func (p *program) projectMoveCommand(use, short, done string, action gate.Action,
	do func(*project.Service, context.Context, loci.Principal, loci.ProjectID) (loci.Project, error)) *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: use + " PROJECT", Short: short, Annotations: does(action, project.Read),
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		x, err := do(c.app.Project, ctx, c.who, x.ID)
		return p.projectChanged(done, x, err)
	}))
}

func (p *program) projectDeleteCommand() *cobra.Command {
	return p.acting(pickOrg|asks, &cobra.Command{
		Use: "delete PROJECT", Short: "Permanently delete a project with its graph",
		Annotations: does(project.Delete, project.Read),
		Long: `Permanently delete a project, active or archived, with its graph and its members.
Its tasks are deleted, too. Memories of the project move to their owners' trash. To keep a
copy of the graph, first run: loci graph export --project PROJECT FILE. To keep the project,
archive it: loci project archive PROJECT.`,
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		if !p.json {
			p.note("This permanently deletes the project's graph and tasks, and moves memories of scope project to their " +
				"owners' trash.")
		}
		return p.erase(ctx, "project", x.Name, x.ID, func() error { return c.app.Project.Delete(ctx, c.who, x.ID) })
	}))
}

func (p *program) projectMembersCommand() *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: "members PROJECT", Short: "List the members of a project",
		Annotations: does(project.ReadMembers, project.Read),
	}, onNamed((*instance).project, p.printProjectMembers))
}

func (p *program) printProjectMembers(ctx context.Context, c *call, x loci.Project) error {
	list, err := c.app.Project.Members(ctx, c.who, x.ID)
	if err != nil {
		return err
	}
	if x.Everyone && !p.json {
		p.note("Everybody in org %s belongs to this project, in addition to the members listed.", c.who.OrgID)
	}
	names := c.names()
	return printList(p, "members", list, nil, "no members", "ID|MEMBER|ROLE", func(m loci.ProjectMember) []string {
		return []string{m.UserID.String(), names.user(ctx, c.who.OrgID, m.UserID), string(m.Role)}
	})
}

func (p *program) projectAddCommand() *cobra.Command {
	var role string
	cmd := p.projectMemberCommand("add PROJECT USER", "Add a person to a project, or change their role", "added",
		func(ctx context.Context, c *call, x loci.Project, user loci.UserID) error {
			as, err := loci.ParseMemberRole(role)
			if err != nil {
				return err
			}
			return c.app.Project.PutMember(ctx, c.who, x.ID, loci.ProjectMember{UserID: user, Role: as})
		})
	cmd.Flags().StringVar(&role, "role", string(loci.Member), "owner, admin or member")
	return cmd
}

func (p *program) projectRemoveCommand() *cobra.Command {
	return p.projectMemberCommand("remove PROJECT USER", "Remove a person from a project", "removed",
		func(ctx context.Context, c *call, x loci.Project, user loci.UserID) error {
			err := c.app.Project.RemoveMember(ctx, c.who, x.ID, user)
			if err == nil && x.Everyone {
				p.note("Everybody in the org still belongs to %s. To change that, run: loci project set %s everyone=off%s",
					cut(x.Name, 60), quoted(x.Name), orgHint(c.who))
			}
			return err
		})
}

func (p *program) projectMemberCommand(use, short, done string,
	do func(context.Context, *call, loci.Project, loci.UserID) error) *cobra.Command {
	return p.acting(pickOrg, &cobra.Command{
		Use: use, Short: short, Annotations: does(project.ChangeMember, project.Read),
	}, onNamed((*instance).project, func(ctx context.Context, c *call, x loci.Project) error {
		person, err := c.memberOf(ctx, c.who, c.args[1])
		if err != nil {
			return err
		}
		return p.doneTo(do(ctx, c, x, person.UserID), done, person)
	}))
}
