package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
)

// orgFlag and userFlag are the same everywhere.
func orgFlag(cmd *cobra.Command, org *string) {
	cmd.Flags().StringVar(org, "org", "", "the id of the org (default: "+string(loci.DefaultOrg)+")")
}

func userFlag(cmd *cobra.Command, user *string) {
	cmd.Flags().StringVar(user, "user", "", "a person, by id or e-mail (default: the org's owner)")
}

// person finds somebody of any org by id or e-mail.
func (in *instance) person(ctx context.Context, s string) (who loci.Person, err error) {
	people := in.store.People()
	if strings.Contains(s, "@") {
		var email string
		if email, err = loci.ParseEmail(s); err == nil {
			who, err = people.ByEmail(ctx, email)
		}
	} else {
		var id loci.UserID
		if id, err = parseID[loci.UserID](s, "user", "loci user list"); err == nil {
			who, err = people.ByID(ctx, id)
		}
	}
	if loci.CodeOf(err) == loci.NotFound {
		err = loci.WrapError(loci.NotFound, err, "no user %s; `loci user list` shows everybody", cut(s, 100))
	}
	return who, err
}

// inOrg returns the operator acting in an org, for its owner.
func (in *instance) inOrg(ctx context.Context, org string) (loci.Principal, error) {
	id, err := orgID(org)
	if err != nil {
		return loci.Principal{}, err
	}
	p, err := in.auth.LocalAs(ctx, id, loci.UserID{})
	return p, aboutOrg(id, err)
}

// actFor returns the operator acting for a person; "" is the owner of the org.
// Somebody who is in another org than the one that was named is not found.
func (in *instance) actFor(ctx context.Context, org, user string) (loci.Principal, error) {
	if user == "" {
		return in.inOrg(ctx, org)
	}
	who, err := in.person(ctx, user)
	if err != nil {
		return loci.Principal{}, err
	}
	if org != "" && string(who.OrgID) != org {
		return loci.Principal{}, loci.Errorf(loci.NotFound, "no user %s in org %s; `loci user list --org %s` shows who is", cut(user, 100), cut(org, 60), cut(org, 60))
	}
	return in.auth.LocalAs(ctx, who.OrgID, who.UserID)
}

// about returns the operator acting in the org of a person, for its owner, and
// the person.
func (in *instance) about(ctx context.Context, user string) (loci.Principal, loci.Person, error) {
	who, err := in.person(ctx, user)
	if err != nil {
		return loci.Principal{}, who, err
	}
	p, err := in.auth.LocalAs(ctx, who.OrgID, loci.UserID{})
	return p, who, err
}

func orgID(s string) (loci.OrgID, error) {
	if s == "" {
		return loci.DefaultOrg, nil
	}
	id := loci.OrgID(s)
	return id, id.Validate()
}

func aboutOrg(id loci.OrgID, err error) error {
	if loci.CodeOf(err) == loci.NotFound {
		return loci.WrapError(loci.NotFound, err, "no org %s; `loci org list` shows all", id)
	}
	return err
}

// everybody calls fn with every member of an org.
func (in *instance) everybody(ctx context.Context, p loci.Principal, fn func(loci.User) error) error {
	var after loci.UserID
	for {
		page, err := in.app.Members(ctx, p, after, membersPage)
		if err != nil {
			return err
		}
		for _, u := range page {
			if err := fn(u); err != nil {
				return err
			}
			after = u.ID
		}
		if len(page) < membersPage {
			return nil
		}
	}
}

// membersPage is how many people are read at once.
const membersPage = 100

// orgs returns the org that was named, or all.
func (in *instance) orgs(ctx context.Context, org string) ([]loci.Org, error) {
	if org == "" {
		return in.app.Orgs(ctx, in.operator)
	}
	id, err := orgID(org)
	if err != nil {
		return nil, err
	}
	o, err := in.app.ShowOrg(ctx, in.operator, id)
	return []loci.Org{o}, aboutOrg(id, err)
}

// parseID reads an id from the command line.
func parseID[T ~[16]byte](s, what, list string) (T, error) {
	id, err := loci.ParseID[struct{}](s)
	if err == nil && id.IsZero() {
		err = loci.Errorf(loci.Invalid, "it is all zeros")
	}
	if err != nil {
		return T{}, loci.Errorf(loci.Invalid, "%q is not the id of %s; `%s` shows ids", cut(s, 60), a(what), list)
	}
	return T(id), nil
}

// a puts the article before a noun of ours: a user, an invitation.
func a(noun string) string {
	if strings.ContainsAny(noun[:1], "aeio") {
		return "an " + noun
	}
	return "a " + noun
}

// page is how a list is printed as JSON.
func page(name string, items any) map[string]any {
	return map[string]any{name: items, "next_cursor": "", "has_more": false}
}

// notNil keeps an empty list from being null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// sure asks the person at a terminal; anywhere else --yes must say it.
func (p *program) sure(yes bool, question string) error {
	switch {
	case yes:
		return nil
	case !isTerminal(p.in):
		return usagef("%s --yes says that you mean it", question)
	case !p.confirm(question):
		return usagef("nothing was changed")
	}
	return nil
}

func yesFlag(cmd *cobra.Command, yes *bool) { cmd.Flags().BoolVar(yes, "yes", false, "do not ask") }

// group is a command that only lists the commands below it.
func group(use, short, long string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.NoArgs, Annotations: onlyHelps(),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(below...)
	return cmd
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
