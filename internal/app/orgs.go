package app

import (
	"context"
	"reflect"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Org returns the org of the person.
func (a *App) Org(ctx context.Context, p loci.Principal) (loci.Org, error) {
	if err := a.begin(ctx, p, OrgRead); err != nil {
		return loci.Org{}, err
	}
	return a.store.Orgs().Get(ctx, p.OrgID)
}

// RenameOrg gives the org another name; its id stays. Invalid for an empty or
// too long one.
func (a *App) RenameOrg(ctx context.Context, p loci.Principal, name string) (loci.Org, error) {
	if err := a.begin(ctx, p, OrgChange); err != nil {
		return loci.Org{}, err
	}
	if err := checkName(name); err != nil {
		return loci.Org{}, err
	}
	return a.updateOrg(ctx, p, OrgChange, p.OrgID, func(o *loci.Org) { o.Name = name })
}

// updateOrg changes the registry's row of an org after it was recorded there.
// One that changes nothing leaves no entry.
func (a *App) updateOrg(ctx context.Context, p loci.Principal, act Action, id loci.OrgID, change func(*loci.Org)) (loci.Org, error) {
	org, err := a.store.Orgs().Get(ctx, id)
	if err != nil {
		return loci.Org{}, err
	}
	was := org
	if change(&org); reflect.DeepEqual(org, was) {
		return org, nil
	}
	in := p
	in.OrgID = id // the trail of the org that it is about
	if err := a.record(ctx, in, act, string(id)); err != nil {
		return loci.Org{}, err
	}
	return a.store.Orgs().Update(ctx, id, func(o *loci.Org) error { change(o); return nil })
}

// OrgSettings changes what is not nil.
type OrgSettings struct {
	Deletion   *loci.Deletion // "": the server's default
	Workspaces *bool
	Assets     AssetSettings
}

// AssetSettings changes of the rules for attachments what is not nil. 0 bytes and no types are the defaults.
type AssetSettings struct {
	MaxBytes, TotalBytes *int64
	MediaTypes           *[]string
}

func (s *OrgSettings) apply(o *loci.Org) {
	set(&o.Deletion, s.Deletion)
	set(&o.Workspaces, s.Workspaces)
	set(&o.Assets.MaxBytes, s.Assets.MaxBytes)
	set(&o.Assets.TotalBytes, s.Assets.TotalBytes)
	if s.Assets.MediaTypes != nil {
		o.Assets.MediaTypes = append([]string(nil), *s.Assets.MediaTypes...) // nil for none, as they are read
	}
}

// check refuses settings that no org may have.
func (s *OrgSettings) check() error {
	if s.Deletion != nil && *s.Deletion != "" {
		if _, err := loci.ParseDeletion(string(*s.Deletion)); err != nil {
			return err
		}
	}
	var r loci.AssetRules
	set(&r.MaxBytes, s.Assets.MaxBytes)
	set(&r.TotalBytes, s.Assets.TotalBytes)
	if s.Assets.MediaTypes != nil {
		r.MediaTypes = slices.Clone(*s.Assets.MediaTypes)
	}
	err := r.Validate("assets")
	if s.Assets.MediaTypes != nil {
		s.Assets.MediaTypes = &r.MediaTypes
	}
	return err
}

// SetOrg changes how the org works. Turning workspaces on makes a first one if
// there is none, puts everybody who is in none into the oldest, and every memory and
// project that is in none too; turning them off lets every read see all of them again.
// What is attached already stays, whatever the new rules for attachments say. Invalid for an unknown deletion rule, and about
// assets.
func (a *App) SetOrg(ctx context.Context, p loci.Principal, s OrgSettings) (loci.Org, error) {
	if err := a.begin(ctx, p, OrgSet); err != nil {
		return loci.Org{}, err
	}
	if err := s.check(); err != nil {
		return loci.Org{}, err
	}
	org, err := a.store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return loci.Org{}, err
	}
	was := org
	if s.apply(&org); reflect.DeepEqual(org, was) {
		return org, nil
	}
	on := org.Workspaces && !was.Workspaces
	var first loci.WorkspaceID
	err = a.write(ctx, p, OrgSet, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		if e.Target = string(p.OrgID); on { // before anybody's reads are limited to them
			first, err = a.divide(ctx, tx)
		}
		return err
	})
	if err == nil && on {
		err = a.adopt(ctx, p.OrgID, first)
	}
	if err == nil {
		org, err = a.store.Orgs().Update(ctx, p.OrgID, func(o *loci.Org) error { s.apply(o); return nil })
	}
	if err == nil && on { // and for what was stored meanwhile
		err = a.store.Update(ctx, p.OrgID, func(tx store.Tx) (err error) { first, err = a.divide(ctx, tx); return err })
		if err == nil {
			err = a.adopt(ctx, p.OrgID, first)
		}
	}
	if err != nil {
		return loci.Org{}, err
	}
	return org, nil
}

// adopt puts every project that is in no workspace into this one.
func (a *App) adopt(ctx context.Context, org loci.OrgID, into loci.WorkspaceID) error {
	a.registry.Lock()
	defer a.registry.Unlock()
	_, err := a.store.ProjectMembers().Adopt(ctx, org, into)
	return err
}

// FirstWorkspace is the name of the workspace that an org begins with.
const FirstWorkspace = "Main"

// divide makes sure that everybody and every memory is in a workspace, and returns
// the oldest. It may be repeated.
func (a *App) divide(ctx context.Context, tx store.Tx) (loci.WorkspaceID, error) {
	list, err := tx.Workspaces().List(ctx)
	if err != nil {
		return loci.WorkspaceID{}, err
	}
	if len(list) == 0 {
		first := loci.Workspace{ID: loci.NewWorkspaceID(), Name: FirstWorkspace, CreatedAt: a.time()}
		if err := tx.Workspaces().Insert(ctx, first); err != nil {
			return loci.WorkspaceID{}, err
		}
		list = append(list, first)
	}
	err = eachUser(ctx, tx, func(u loci.User) error {
		of, err := tx.Workspaces().Of(ctx, u.ID)
		if err != nil || len(of) > 0 {
			return err
		}
		return tx.Workspaces().Join(ctx, list[0].ID, u.ID)
	})
	if err == nil {
		_, err = tx.Workspaces().Adopt(ctx, list[0].ID)
	}
	return list[0].ID, err
}

// eachUser calls fn for every user of the org, by id.
func eachUser(ctx context.Context, tx store.Tx, fn func(loci.User) error) error {
	for after := (loci.UserID{}); ; {
		page, err := tx.Users().List(ctx, after, MaxPage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, u := range page {
			if err := fn(u); err != nil {
				return err
			}
		}
		after = page[len(page)-1].ID
	}
}

// DeleteOrg deletes the org with everything in it for good. confirm is its id,
// else Invalid. Conflict while it has other people, unless the operator does it,
// and for the org that every server has, which the next start would need.
func (a *App) DeleteOrg(ctx context.Context, p loci.Principal, confirm string) (Receipt, error) {
	if err := a.begin(ctx, p, OrgDelete); err != nil {
		return Receipt{}, err
	}
	if confirm != string(p.OrgID) {
		return Receipt{}, loci.FieldErrorf("confirm", "must be the id of the org: everything in it is deleted for good")
	}
	if p.OrgID == loci.DefaultOrg {
		return Receipt{}, loci.Errorf(loci.Conflict, "the org %s belongs to the server itself and cannot be deleted; delete the data directory instead", loci.DefaultOrg)
	}
	err := a.write(ctx, p, OrgDelete, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = string(p.OrgID)
		if p.Kind == loci.KindLocal {
			return nil
		}
		people, err := tx.Users().List(ctx, loci.UserID{}, 2)
		if err == nil && len(people) > 1 {
			err = loci.Errorf(loci.Conflict, "the org still has other people; they delete their accounts first, or the operator of the server deletes the org")
		}
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	return a.store.Orgs().Delete(ctx, p.OrgID)
}
