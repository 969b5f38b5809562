package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) projectCommand() *cobra.Command {
	return group("project", "Make and look after projects, each with a graph of its own", `Make and look after projects. Each has a knowledge graph of its own, in a file of
its own (loci graph). PROJECT is a name or an id, USER an id or an e-mail address.`,
		p.projectCreateCommand(), p.projectListCommand(), p.projectShowCommand(), p.projectRenameCommand(), p.projectSetCommand(),
		p.projectMoveCommand("archive", "Close a project and keep it", "archived", app.ProjectArchive, (*app.App).ArchiveProject),
		p.projectMoveCommand("restore", "Make an archived project active again", "restored", app.ProjectRestore, (*app.App).RestoreProject),
		p.projectDeleteCommand(), p.projectMembersCommand(), p.projectAddCommand(), p.projectRemoveCommand())
}

// project finds a project by name or id. A name that looks like an id is
// found, too.
func (in *instance) project(ctx context.Context, who loci.Principal, s string) (loci.Project, error) {
	found, err := in.app.FindProject(ctx, who, s)
	if loci.CodeOf(err) != loci.NotFound {
		return found, err
	}
	var id loci.ProjectID
	if id.UnmarshalText([]byte(s)) == nil && !id.IsZero() {
		if found, err := in.app.Project(ctx, who, id); loci.CodeOf(err) != loci.NotFound {
			return found, err
		}
	}
	text, join := err.Error(), "; "
	if strings.HasSuffix(text, "?") {
		join = " "
	}
	return found, loci.WrapError(loci.NotFound, err, "%s%s`loci project list --status all%s` shows all", text, join, orgHint(who))
}

func (in *instance) projectIDs(ctx context.Context, who loci.Principal, names []string) (ids []loci.ProjectID, err error) {
	for _, name := range names {
		x, err := in.project(ctx, who, name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, x.ID)
	}
	return ids, nil
}

// orgHint is the flag that a suggested command needs in another org than the
// default one.
func orgHint(who loci.Principal) string {
	if who.OrgID == loci.DefaultOrg {
		return ""
	}
	return " --org " + string(who.OrgID)
}

func (p *program) onProject(cmd *cobra.Command, org, name string, do func(context.Context, *instance, loci.Principal, loci.Project) error) error {
	ctx := cmd.Context()
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := in.inOrg(ctx, org)
		if err != nil {
			return err
		}
		found, err := in.project(ctx, who, name)
		if err != nil {
			return err
		}
		return do(ctx, in, who, found)
	})
}

// changed prints a project, or says in a sentence what became of it.
func (p *program) changed(done string, project loci.Project) error {
	if p.json {
		return p.printJSON(project)
	}
	p.printf("%s %s: %s\n", done, project.ID, loci.OneLine(project.Name))
	return nil
}

func (p *program) projectCreateCommand() *cobra.Command {
	var org, user, description, everyone string
	cmd := &cobra.Command{
		Use: "create NAME", Short: "Make a project with an empty graph; --user becomes its owner", Args: cobra.ExactArgs(1), Annotations: does(app.ProjectCreate),
		Example: `  loci project create website --description "The shop's new front end"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			draft := app.ProjectDraft{Name: args[0], Description: description}
			if everyone != "" {
				on, err := parseOnOff("--everyone", everyone)
				if err != nil {
					return err
				}
				draft.Everyone = &on
			}
			ctx := cmd.Context()
			return p.with(ctx, create, func(in *instance) error {
				who, err := in.actFor(ctx, org, user)
				if err != nil {
					return err
				}
				made, err := in.app.CreateProject(ctx, who, draft)
				if err != nil {
					return err
				}
				return p.changed("created", made)
			})
		},
	}
	orgFlag(cmd, &org)
	userFlag(cmd, &user)
	cmd.Flags().StringVar(&description, "description", "", "what it is about")
	cmd.Flags().StringVar(&everyone, "everyone", "", "on: everybody of the org belongs to it; off: only its members do (default: on)")
	return cmd
}

func (p *program) projectListCommand() *cobra.Command {
	var org, status string
	cmd := &cobra.Command{
		Use: "list", Short: "List projects by name", Args: cobra.NoArgs, Annotations: does(app.ProjectRead),
		RunE: func(cmd *cobra.Command, _ []string) error {
			want, err := parseStatus(status)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			return p.with(ctx, refuse, func(in *instance) error {
				who, err := in.inOrg(ctx, org)
				if err != nil {
					return err
				}
				list, err := in.projects(ctx, who, want, 0)
				if err != nil {
					return err
				}
				return p.printProjects(list, who, want)
			})
		},
	}
	orgFlag(cmd, &org)
	cmd.Flags().StringVar(&status, "status", string(loci.ProjectActive), "active, archived or all")
	return cmd
}

func parseStatus(s string) (loci.ProjectStatus, error) {
	switch status := loci.ProjectStatus(s); status {
	case loci.ProjectActive, loci.ProjectArchived:
		return status, nil
	case "all":
		return "", nil
	}
	return "", loci.FieldErrorf("--status", "must be active, archived or all, and is %q", cut(s, 60))
}

// projects reads all pages, or stops after most if it is not 0.
func (in *instance) projects(ctx context.Context, who loci.Principal, status loci.ProjectStatus, most int) (list []loci.Project, err error) {
	request := app.ProjectList{Status: status, Limit: projectsPage}
	for {
		page, err := in.app.Projects(ctx, who, request)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Projects...)
		if request.Cursor = page.NextCursor; request.Cursor == "" || most > 0 && len(list) >= most {
			return list, nil
		}
	}
}

// projectsPage is how many projects are read at once.
const projectsPage = 200

func (p *program) printProjects(list []loci.Project, who loci.Principal, status loci.ProjectStatus) error {
	if p.json {
		return p.printJSON(page("projects", notNil(list)))
	}
	if len(list) == 0 {
		hint := ""
		if status != "" {
			hint = string(status) + " "
		}
		p.note("no %sprojects; make one with: loci project create NAME%s", hint, orgHint(who))
		return nil
	}
	rows := make([][]string, len(list))
	for i, x := range list {
		rows[i] = []string{x.ID.String(), x.Name, string(x.Status), belongs(x), showTime(x.UpdatedAt), x.Description}
	}
	p.printTable([]string{"ID", "NAME", "STATUS", "OPEN TO", "UPDATED", "DESCRIPTION"}, rows)
	return nil
}

func belongs(x loci.Project) string {
	if x.Everyone {
		return "everyone"
	}
	return "members"
}

func (p *program) projectShowCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "show PROJECT", Short: "Show a project with its members", Args: cobra.ExactArgs(1), Annotations: does(app.ProjectRead, app.ProjectMembers),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onProject(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, x loci.Project) error {
				if p.json {
					return p.printJSON(x)
				}
				for _, row := range [][2]string{{"id", x.ID.String()}, {"name", x.Name}, {"description", x.Description}, {"status", string(x.Status)},
					{"open to", belongs(x)}, {"workspace", workspaceText(x)}, {"created", showTime(x.CreatedAt)}, {"updated", showTime(x.UpdatedAt)}} {
					if row[1] != "" {
						p.printf("%-12s  %s\n", row[0], loci.OneLine(row[1]))
					}
				}
				p.printf("\n")
				return p.printProjectMembers(ctx, in, who, x)
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func workspaceText(x loci.Project) string {
	if x.WorkspaceID.IsZero() {
		return ""
	}
	return x.WorkspaceID.String()
}

func (p *program) projectRenameCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "rename PROJECT NAME", Short: "Give a project another name", Args: cobra.ExactArgs(2), Annotations: does(app.ProjectChange, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.changeProject(cmd, org, args[0], "renamed", app.ProjectPatch{Name: &args[1]})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) projectSetCommand() *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: "set PROJECT SETTING=VALUE…", Short: "Set the description of a project, and who belongs to it", Args: cobra.MinimumNArgs(2),
		Annotations: does(app.ProjectChange, app.ProjectRead),
		Long: `Set the description of a project, and who belongs to it:

  description=TEXT   what it is about
  everyone=on        every user of the org belongs to it
  everyone=off       only its members do (loci project add PROJECT USER)`,
		Example: `  loci project set website everyone=off description="The shop's new front end"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			patch, err := projectSettings(args[1:])
			if err != nil {
				return err
			}
			return p.changeProject(cmd, org, args[0], "changed", patch)
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) changeProject(cmd *cobra.Command, org, name, done string, patch app.ProjectPatch) error {
	return p.onProject(cmd, org, name, func(ctx context.Context, in *instance, who loci.Principal, x loci.Project) error {
		x, err := in.app.ChangeProject(ctx, who, x.ID, patch)
		if err != nil {
			return err
		}
		return p.changed(done, x)
	})
}

func projectSettings(args []string) (patch app.ProjectPatch, err error) {
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return patch, usagef("%q is not SETTING=VALUE, like everyone=off", cut(arg, 60))
		case name == "description":
			patch.Description = &value
		case name == "everyone":
			on, err := parseOnOff("everyone", value)
			if err != nil {
				return patch, err
			}
			patch.Everyone = &on
		default:
			return patch, usagef("there is no setting %q; there are description and everyone", cut(name, 60))
		}
	}
	return patch, nil
}

func parseOnOff(field, value string) (bool, error) {
	switch value {
	case "on":
		return true, nil
	case "off":
		return false, nil
	}
	return false, loci.FieldErrorf(field, "must be on or off, and is %q", cut(value, 60))
}

func (p *program) projectMoveCommand(use, short, done string, action app.Action, do func(*app.App, context.Context, loci.Principal, loci.ProjectID) (loci.Project, error)) *cobra.Command {
	var org string
	cmd := &cobra.Command{
		Use: use + " PROJECT", Short: short, Args: cobra.ExactArgs(1), Annotations: does(action, app.ProjectRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onProject(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, x loci.Project) error {
				x, err := do(in.app, ctx, who, x.ID)
				if err != nil {
					return err
				}
				return p.changed(done, x)
			})
		},
	}
	orgFlag(cmd, &org)
	return cmd
}

func (p *program) projectDeleteCommand() *cobra.Command {
	var org string
	var yes bool
	cmd := &cobra.Command{
		Use: "delete PROJECT", Short: "Delete a project with its graph for good", Args: cobra.ExactArgs(1), Annotations: does(app.ProjectDelete, app.ProjectRead),
		Long: `Delete a project, active or archived, with its graph and its members for good.
Memories of the project go to their owners' trash. To keep a copy first:
loci graph export --project PROJECT FILE. To close it and keep it:
loci project archive PROJECT.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.onProject(cmd, org, args[0], func(ctx context.Context, in *instance, who loci.Principal, x loci.Project) error {
				if err := p.sure(yes, fmt.Sprintf("Delete the project %s with its graph for good?", loci.OneLine(x.Name))); err != nil {
					return err
				}
				if err := in.app.DeleteProject(ctx, who, x.ID); err != nil {
					return err
				}
				return p.done("deleted", x.ID.String())
			})
		},
	}
	orgFlag(cmd, &org)
	yesFlag(cmd, &yes)
	return cmd
}
