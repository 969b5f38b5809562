package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
)

// picks determines which flags choose whom a command acts for.
type picks uint8

const (
	pickOrg    picks = 1 << iota // --org
	pickUser                     // --user
	pickVendor                   // --as
	onlyOrg                      // --org limits a list instead; the operator acts
	onlyOf                       // --org and --user do
	asks                         // --yes: the command asks for confirmation
	starts                       // no flag: the command creates the data directory if it is missing

	operator   picks = 0 // no flag: the operator acts
	pickPerson       = pickOrg | pickUser
	pickAny          = pickPerson | pickVendor
)

// actor is whom a command acts for: an org's owner, a person, or a vendor's assistant.
type actor struct {
	org, user, vendor string
	picks             picks
}

func (a *actor) add(cmd *cobra.Command, which picks) {
	a.picks = which
	if which&pickOrg != 0 {
		cmd.Flags().StringVar(&a.org, "org", "", "org, by id or name (default: "+string(loci.DefaultOrg)+")")
	}
	if which&pickUser != 0 {
		cmd.Flags().StringVar(&a.user, "user", "", "act for this person: an id or e-mail address (default: the org's owner)")
	}
	if which&pickVendor != 0 {
		cmd.Flags().StringVar(&a.vendor, "as", "", "act as this vendor's assistant: see what it sees, write in its name")
	}
	if which&onlyOrg != 0 {
		cmd.Flags().StringVar(&a.org, "org", "", "only of this org, by id or name (default: all)")
	}
	if which&onlyOf != 0 {
		cmd.Flags().StringVar(&a.org, "org", "", "only of this org, by id or name")
		cmd.Flags().StringVar(&a.user, "user", "", "only of this person, by id or e-mail address")
	}
}

func (a *actor) principal(ctx context.Context, in *instance) (loci.Principal, error) {
	if a.vendor == "" {
		return in.actFor(ctx, a.org, a.user)
	}
	if a.org != "" || a.user != "" {
		return loci.Principal{},
			usagef("cannot combine --as with --org or --user: it acts for the owner of this machine's memories")
	}
	return in.as(ctx, a.vendor)
}

// call is one run of a command: an open data directory, whom it acts for, and its arguments.
type call struct {
	*instance
	who   loci.Principal
	actor *actor
	args  []string
}

// acting completes a command that acts for somebody: it adds the flags that choose whom, opens the data directory and
// calls do. Checks that must come before opening anything belong in the command's PreRunE.
func (p *program) acting(which picks, cmd *cobra.Command, do func(context.Context, *call) error) *cobra.Command {
	var a actor
	a.add(cmd, which)
	if which&asks != 0 {
		p.yesFlag(cmd)
	}
	absent := refuse
	if which&starts != 0 {
		absent = create
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		return p.with(ctx, absent, func(in *instance) error {
			who, err := in.operator, error(nil)
			if which&pickAny != 0 {
				who, err = a.principal(ctx, in)
			}
			if err != nil {
				return err
			}
			return do(ctx, &call{in, who, &a, args})
		})
	}
	return cmd
}

// onID completes a command about the thing whose id is its first argument. see is the command that lists ids, and find
// finds an id by its beginning.
func onID[T ~[16]byte](p *program, which picks, noun, see string, find resolver[T], cmd *cobra.Command,
	do func(context.Context, *call, T) error) *cobra.Command {
	before(cmd, func(args []string) error { return checkID(args[0], noun, see) })
	return p.acting(which, cmd, func(ctx context.Context, c *call) error {
		id, err := resolve(ctx, c, c.args[0], noun, see, find)
		if err == nil {
			err = do(ctx, c, id)
		}
		return c.onlyHere(ctx, err)
	})
}

// onNamed finds what the first argument names and calls do with it.
func onNamed[T any](find func(*instance, context.Context, loci.Principal, string) (T, error),
	do func(context.Context, *call, T) error) func(context.Context, *call) error {
	return func(ctx context.Context, c *call) error {
		x, err := find(c.instance, ctx, c.who, c.args[0])
		if err != nil {
			return c.onlyHere(ctx, err)
		}
		return do(ctx, c, x)
	}
}

// onlyHere adds to the error about a missing thing that Loci looked in one org only, because ids are unique in all.
func (c *call) onlyHere(ctx context.Context, err error) error {
	a := c.actor
	if loci.CodeOf(err) != loci.NotFound || a.picks&pickOrg == 0 || a.org+a.user+a.vendor != "" {
		return err
	}
	if all, failed := c.store.Orgs().List(ctx); failed != nil || len(all) < 2 {
		return err
	}
	return loci.WrapError(loci.NotFound, err, "%s; Loci looked only in org %s: for another one, pass --org", err,
		c.who.OrgID)
}

// noSuch is a NotFound error with the command that lists what there is.
func noSuch(noun, name, see string) error {
	return advised{loci.Errorf(loci.NotFound, "%s %s not found; see `%s`", noun, quoted(cut(name, 100)), see)}
}

// advised is an error that names the command that helps.
type advised struct{ error }

func (a advised) Unwrap() error { return a.error }

// orNoSuch replaces a NotFound error by that of noSuch.
func orNoSuch(err error, noun, name, see string) error {
	if loci.CodeOf(err) != loci.NotFound {
		return err
	}
	return advised{loci.WrapError(loci.NotFound, err, "%s", noSuch(noun, name, see))}
}

// person finds somebody of any org by id, e-mail address or name.
func (in *instance) person(ctx context.Context, s string) (who loci.Person, err error) {
	const see = "loci user list"
	people := in.store.People()
	if strings.Contains(s, "@") {
		var email string
		if email, err = loci.ParseEmail(s); err == nil {
			who, err = people.ByEmail(ctx, email)
		}
		return who, orNoSuch(err, "user", s, see)
	}
	var id loci.UserID
	if id.UnmarshalText([]byte(s)) != nil {
		all, err := in.everybody(ctx, "")
		u, err := findNamed(all, err, s, func(u loci.User) (string, string) { return u.ID.String(), u.Name }, "user", see)
		if err != nil {
			return who, told(err, all, func(u loci.User) (string, string) { return u.ID.String(), u.Email })
		}
		id = u.ID
	}
	who, err = people.ByID(ctx, id)
	return who, orNoSuch(err, "user", s, see)
}

// memberOf finds somebody who must be of the org that who acts in.
func (in *instance) memberOf(ctx context.Context, who loci.Principal, user string) (loci.Person, error) {
	person, err := in.person(ctx, user)
	if err == nil && person.OrgID != who.OrgID {
		err = noSuch("user", user, "loci user list --org "+string(who.OrgID))
	}
	return person, err
}

// inOrg returns the operator's principal in an org, for its owner.
func (in *instance) inOrg(ctx context.Context, org string) (loci.Principal, error) {
	id, err := in.orgID(ctx, org)
	if err != nil {
		return loci.Principal{}, err
	}
	p, err := in.auth.LocalAs(ctx, id, loci.UserID{})
	return p, orNoSuch(err, "org", string(id), "loci org list")
}

// actFor returns the operator's principal for a person; "" is the owner of the org. If an org is
// named, the person must belong to it.
func (in *instance) actFor(ctx context.Context, org, user string) (loci.Principal, error) {
	return in.actBy(ctx, in.auth.LocalAs, org, user)
}

// readFor is actFor for what only reads: the person may be disabled.
func (in *instance) readFor(ctx context.Context, org, user string) (loci.Principal, error) {
	return in.actBy(ctx, in.auth.LocalReading, org, user)
}

func (in *instance) actBy(ctx context.Context, local func(context.Context, loci.OrgID, loci.UserID) (loci.Principal,
	error), org, user string) (loci.Principal, error) {
	if user == "" {
		return in.inOrg(ctx, org)
	}
	who, err := in.person(ctx, user)
	if err != nil {
		return loci.Principal{}, err
	}
	if org != "" {
		id, err := in.orgID(ctx, org)
		if err != nil {
			return loci.Principal{}, err
		}
		if who.OrgID != id {
			return loci.Principal{}, noSuch("user", user, "loci user list --org "+cut(org, 60))
		}
	}
	return local(ctx, who.OrgID, who.UserID)
}

// orgID returns the id of an org that s names by its id or its name; "" is the default org.
func (in *instance) orgID(ctx context.Context, s string) (loci.OrgID, error) {
	if s == "" {
		return loci.DefaultOrg, nil
	}
	all, err := in.store.Orgs().List(ctx)
	o, err := findNamed(all, err, s, func(o loci.Org) (string, string) { return string(o.ID), o.Name }, "org",
		"loci org list")
	return o.ID, err
}

// orgHint returns the flag that a suggested command needs outside the default org.
func orgHint(who loci.Principal) string {
	if who.OrgID == loci.DefaultOrg {
		return ""
	}
	return " --org " + string(who.OrgID)
}

// orgs returns the named org, or all.
func (in *instance) orgs(ctx context.Context, org string) ([]loci.Org, error) {
	if org == "" {
		return in.app.Org.List(ctx, in.operator)
	}
	id, err := in.orgID(ctx, org)
	if err != nil {
		return nil, err
	}
	o, err := in.app.Org.Show(ctx, in.operator, id)
	return []loci.Org{o}, orNoSuch(err, "org", string(id), "loci org list")
}

// inOrgs calls fn with the operator acting for the owner of the named org, or of each org.
func (in *instance) inOrgs(ctx context.Context, org string, fn func(loci.Principal) error) error {
	orgs, err := in.orgs(ctx, org)
	if err != nil {
		return err
	}
	for _, o := range orgs {
		who, err := in.auth.LocalAs(ctx, o.ID, loci.UserID{})
		if err == nil {
			err = fn(who)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// everybody returns the people of the named org, or of all.
func (in *instance) everybody(ctx context.Context, org string) (all []loci.User, err error) {
	err = in.inOrgs(ctx, org, func(p loci.Principal) error {
		var after loci.UserID
		for {
			page, more, err := in.app.Org.Members(ctx, p, after, 0)
			if all = append(all, page...); err != nil || !more {
				return err
			}
			after = page[len(page)-1].ID
		}
	})
	return all, err
}
