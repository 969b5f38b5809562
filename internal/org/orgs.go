package org

import (
	"context"
	"reflect"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Get returns the person's org.
func (s *Service) Get(ctx context.Context, p loci.Principal) (loci.Org, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return loci.Org{}, err
	}
	return s.Store.Orgs().Get(ctx, p.OrgID)
}

// Rename changes the name of the org; its id stays. It fails with Invalid if the name is empty or too long.
func (s *Service) Rename(ctx context.Context, p loci.Principal, name string) (loci.Org, error) {
	if err := s.Begin(ctx, p, Change, checkName(name)); err != nil {
		return loci.Org{}, err
	}
	return s.update(ctx, p, Change, p.OrgID, func(o *loci.Org) { o.Name = name })
}

// update records a change in the org and then changes the org's row in the registry. A change of
// nothing leaves no entry.
func (s *Service) update(ctx context.Context, p loci.Principal, act gate.Action, id loci.OrgID,
	change func(*loci.Org)) (loci.Org, error) {
	org, err := s.Store.Orgs().Get(ctx, id)
	if err != nil {
		return loci.Org{}, err
	}
	was := org
	if change(&org); reflect.DeepEqual(org, was) {
		return org, nil
	}
	in := p
	in.OrgID = id // record it in the trail of this org
	if err := s.Record(ctx, in, act, string(id)); err != nil {
		return loci.Org{}, err
	}
	return s.Store.Orgs().Update(ctx, id, func(o *loci.Org) error { change(o); return nil })
}

// Settings has the settings to change. Nil fields stay unchanged.
type Settings struct {
	Deletion   *loci.Deletion // "": the server's default
	Workspaces *bool
	Assets     AssetSettings
	Events     *loci.EventStore // "": the server's default. Only the operator may set it
	Retention  *loci.EventRetention
}

// AssetSettings has the rules for attachments to change. Nil fields stay unchanged. 0 bytes and an
// empty list of types mean the defaults.
type AssetSettings struct {
	MaxBytes, TotalBytes *int64
	MediaTypes           *[]string
}

func (s *Settings) apply(o *loci.Org, now time.Time) {
	gate.Set(&o.Deletion, s.Deletion)
	gate.Set(&o.Workspaces, s.Workspaces)
	gate.Set(&o.Events, s.Events)
	if s.Retention != nil && len(s.Retention.Shortens(&o.Retention)) > 0 {
		o.RetentionFrom = now.Add(loci.RetentionGrace)
	}
	gate.Set(&o.Retention, s.Retention)
	gate.Set(&o.Assets.MaxBytes, s.Assets.MaxBytes)
	gate.Set(&o.Assets.TotalBytes, s.Assets.TotalBytes)
	if s.Assets.MediaTypes != nil {
		o.Assets.MediaTypes = append([]string(nil), *s.Assets.MediaTypes...) // nil for none, as they are read
	}
}

// check rejects settings that no org may have.
func (s *Settings) check() error {
	if s.Deletion != nil && *s.Deletion != "" {
		if _, err := loci.ParseDeletion(string(*s.Deletion)); err != nil {
			return err
		}
	}
	if s.Events != nil && *s.Events != "" {
		if _, err := loci.ParseEventStore(string(*s.Events)); err != nil {
			return err
		}
	}
	if s.Retention != nil {
		if err := s.Retention.Validate("events_retention"); err != nil {
			return err
		}
	}
	var r loci.AssetRules
	gate.Set(&r.MaxBytes, s.Assets.MaxBytes)
	gate.Set(&r.TotalBytes, s.Assets.TotalBytes)
	if s.Assets.MediaTypes != nil {
		r.MediaTypes = slices.Clone(*s.Assets.MediaTypes)
	}
	err := r.Validate("assets")
	if s.Assets.MediaTypes != nil {
		s.Assets.MediaTypes = &r.MediaTypes
	}
	return err
}

// Set changes the settings of the org. Turning on workspaces creates a first one if there is none.
// It adds everyone without a workspace, and every memory and project without one, to the oldest.
// Turning them off lets every read see everything again. Existing attachments stay, even if new
// rules forbid them. Set fails with Invalid for an unknown deletion rule or invalid rules for
// attachments, and with Forbidden if anybody but the operator sets where events are.
func (s *Service) Set(ctx context.Context, p loci.Principal, s1 Settings) (loci.Org, error) {
	if err := s.Begin(ctx, p, Set, s1.check()); err != nil {
		return loci.Org{}, err
	}
	if s1.Events != nil && p.Kind != loci.KindLocal {
		return loci.Org{}, loci.Errorf(loci.Forbidden, "an operator of the server sets where events are: loci org set")
	}
	if s1.Workspaces != nil {
		held, unlock, err := s.LockWorkspaces(ctx, p.OrgID)
		if err != nil {
			return loci.Org{}, err
		}
		defer unlock()
		ctx = held
	}
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil {
		return loci.Org{}, err
	}
	was, now := org, s.Time()
	if s1.apply(&org, now); reflect.DeepEqual(org, was) {
		return org, nil
	}
	on := org.Workspaces && !was.Workspaces
	var first loci.WorkspaceID
	err = s.Write(ctx, p, Set, func(tx store.Tx, e *loci.AuditEntry) (err error) {
		if e.Target = string(p.OrgID); on { // before reads are limited to workspaces
			first, err = s.divide(ctx, tx)
		}
		return err
	})
	if err == nil && on {
		_, err = s.Store.ProjectMembers().Adopt(ctx, p.OrgID, first)
	}
	if err == nil {
		org, err = s.Store.Orgs().Update(ctx, p.OrgID, func(o *loci.Org) error { s1.apply(o, now); return nil })
	}
	if err == nil && on { // again, for what was stored meanwhile
		err = s.Store.Update(ctx, p.OrgID, func(tx store.Tx) (err error) { first, err = s.divide(ctx, tx); return err })
		if err == nil {
			_, err = s.Store.ProjectMembers().Adopt(ctx, p.OrgID, first)
		}
	}
	return org, err
}

// FirstWorkspace is the name of an org's first workspace.
const FirstWorkspace = "Main"

// divide puts everyone and every memory into a workspace and returns the oldest workspace. It may be repeated.
func (s *Service) divide(ctx context.Context, tx store.Tx) (loci.WorkspaceID, error) {
	list, err := tx.Workspaces().List(ctx)
	if err != nil {
		return loci.WorkspaceID{}, err
	}
	if len(list) == 0 {
		first := loci.Workspace{ID: loci.NewWorkspaceID(), Name: FirstWorkspace, CreatedAt: s.Time()}
		if err := tx.Workspaces().Insert(ctx, first); err != nil {
			return loci.WorkspaceID{}, err
		}
		list = append(list, first)
	}
	err = EachUser(ctx, tx, func(u loci.User) error {
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

// EachUser calls fn for every user of the org, by id.
func EachUser(ctx context.Context, tx store.Tx, fn func(loci.User) error) error {
	for after := (loci.UserID{}); ; {
		page, err := tx.Users().List(ctx, after, gate.MaxPage)
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

// Hold puts the org under legal hold or ends that. While it lasts, nothing deletes events of the org: neither their age
// nor the deletion of a person or of the org. The trail tells which: its target is on or off.
func (s *Service) Hold(ctx context.Context, p loci.Principal, on bool) (loci.Org, error) {
	if err := s.Begin(ctx, p, Hold); err != nil {
		return loci.Org{}, err
	}
	o, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err != nil || o.Hold == on {
		return o, err
	}
	target := "off"
	if on {
		target = "on"
	}
	if err := s.Record(ctx, p, Hold, target); err != nil {
		return loci.Org{}, err
	}
	return s.Store.Orgs().Update(ctx, p.OrgID, func(o *loci.Org) error { o.Hold = on; return nil })
}

// NotHeld returns the Conflict of deleting something, if the org is under legal hold.
func NotHeld(o *loci.Org, what string) error {
	if o.Hold {
		return loci.HoldError(o.ID, what)
	}
	return nil
}

// Delete permanently deletes the org with everything in it. It fails with Invalid unless confirm is the org's id. It
// fails with Conflict while the org has other people, unless the operator calls it. It also fails with Conflict for
// the default org, because the next start would need it, and for an org under legal hold. It fails with Unavailable
// if the org's Arc doesn't delete its events.
func (s *Service) Delete(ctx context.Context, p loci.Principal, confirm string) (Receipt, error) {
	if err := s.Begin(ctx, p, Delete); err != nil {
		return Receipt{}, err
	}
	if confirm != string(p.OrgID) {
		return Receipt{}, loci.FieldErrorf("confirm", "must be the id of the org: all its data will be permanently deleted")
	}
	if p.OrgID == loci.DefaultOrg {
		return Receipt{}, loci.Errorf(loci.Conflict,
			"cannot delete the org %s: the server needs it; delete the data directory instead", loci.DefaultOrg)
	}
	o, err := s.Store.Orgs().Get(ctx, p.OrgID)
	if err == nil {
		err = NotHeld(&o, "the org")
	}
	if err != nil {
		return Receipt{}, err
	}
	err = s.Write(ctx, p, Delete, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = string(p.OrgID)
		if p.Kind == loci.KindLocal {
			return nil
		}
		people, err := tx.Users().List(ctx, loci.UserID{}, 2)
		if err == nil && len(people) > 1 {
			err = loci.Errorf(loci.Conflict,
				"the org still has other people; they delete their accounts first, or the operator of the server deletes the org")
		}
		return err
	})
	if err != nil {
		return Receipt{}, err
	}
	if s.o.DropEvents != nil { // while it is still known where they are
		if err := s.o.DropEvents(ctx, p.OrgID); err != nil {
			return Receipt{}, err
		}
	}
	receipt, err := s.Store.Orgs().Delete(ctx, p.OrgID)
	if err == nil {
		s.o.Deleted(ctx, p.OrgID)
	}
	return receipt, err
}

// Receipt counts what was deleted with an org. See store.Receipt.
type Receipt = store.Receipt
