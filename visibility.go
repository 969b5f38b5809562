package loci

import (
	"slices"
	"time"
)

// Viewer is the part of a principal that decides what it may see. It is made
// by Principal.Viewer.
type Viewer struct {
	OrgID        OrgID
	UserID       UserID      // the person, or the person acted for
	TeamID       TeamID      // their team; zero: none
	ProjectIDs   []ProjectID // the projects they belong to
	OnlyProjects bool        // nothing but rows of ProjectIDs is in reach
	WorkspaceID  WorkspaceID // the active one; zero: workspaces are off
	AgentID      AgentID     // the agent of the reader's session; zero: none
	Vendor       Vendor      // "": a person, not limited by vendor
}

// TrashDays is how many days a memory or a memory node stays in the trash
// before Loci deletes it permanently.
const TrashDays = 30

// Lifecycle says which part of part 4 of the rule a read relaxes. It never
// relaxes parts 1 to 3.
type Lifecycle int

// The lifecycles.
const (
	LiveOnly    Lifecycle = iota // not trashed, not expired, not superseded
	TrashOnly                    // trashed, whatever its lifetime
	LiveOrTrash                  // either: a person looking at one id
	AnyState                     // all of them: history, export
	CurrentOnly                  // of memories only: live and valid now; recall, search, context, briefing
)

// Sees is the visibility rule: whether v may know that the row with access a
// exists. It holds for every kind of row. now decides about expiry.
//
//  1. Tenant: same org, and the active workspace where workspaces are on.
//  2. Reach: a person reaches what they own, their team's pool and their
//     projects. Whoever is not a row's owner, or acts for the owner as an agent,
//     needs a session of its agent for a row of agent scope. A credential that is
//     limited to projects reaches only their rows.
//  3. Vendor: a vendor's credential needs "*" or its own name on the list.
//  4. Lifecycle: live, unless the read says otherwise. What is in the trash is
//     only its owner's, whoever shared it. Only memories have a validity, which
//     SeesMemory adds.
//
// A zero viewer sees nothing.
func (v Viewer) Sees(a *Access, l Lifecycle, now time.Time) bool {
	return v.inTenant(a) && v.reaches(a) && v.vendorMay(a) && l.admits(a, now) &&
		(a.DeletedAt.IsZero() || a.UserID == v.UserID)
}

// SeesMemory is Sees for a memory, with its validity for CurrentOnly.
func (v Viewer) SeesMemory(m *Memory, l Lifecycle, now time.Time) bool {
	return v.Sees(&m.Access, l, now) && (l != CurrentOnly || m.current(now))
}

// SeesVersion is Sees for an old version: its own allowed_vendors and the
// current row's must both pass, and both must be in reach and in the active
// workspace: who shares a memory does not share what it said before. One from
// before there were workspaces counts as being where its memory is now.
func (v Viewer) SeesVersion(old, current *Access, l Lifecycle, now time.Time) bool {
	return v.Sees(current, l, now) && v.vendorMay(old) && v.reaches(old) &&
		(v.WorkspaceID.IsZero() || old.WorkspaceID.IsZero() || old.WorkspaceID == v.WorkspaceID)
}

func (v Viewer) inTenant(a *Access) bool {
	return v.OrgID != "" && v.OrgID == a.OrgID && !v.UserID.IsZero() &&
		(v.WorkspaceID.IsZero() || v.WorkspaceID == a.WorkspaceID)
}

func (v Viewer) reaches(a *Access) bool {
	if v.OnlyProjects {
		return v.inProjects(a)
	}
	if a.Scope == ScopeAgent && !v.owns(a) && (a.AgentID.IsZero() || a.AgentID != v.AgentID) {
		return false
	}
	if a.UserID == v.UserID {
		return true
	}
	if !a.TeamID.IsZero() && a.TeamID == v.TeamID {
		return true
	}
	return v.inProjects(a)
}

// owns reports whether the row is the reader's own, and the reader a person and no agent.
func (v Viewer) owns(a *Access) bool { return v.Vendor == "" && a.UserID == v.UserID }

func (v Viewer) inProjects(a *Access) bool {
	return a.Scope == ScopeProject && !a.ProjectID.IsZero() && slices.Contains(v.ProjectIDs, a.ProjectID)
}

func (v Viewer) vendorMay(a *Access) bool {
	return v.Vendor == "" || slices.Contains(a.AllowedVendors, AnyVendor) ||
		slices.Contains(a.AllowedVendors, v.Vendor)
}

// Covers reports whether the list all admits every reader that the list some admits.
func Covers(all, some []Vendor) bool {
	if slices.Contains(all, AnyVendor) {
		return true
	}
	return !slices.ContainsFunc(some, func(v Vendor) bool { return !slices.Contains(all, v) })
}

// Narrowed returns the vendors that both lists admit. An empty result admits
// no vendor, only people.
func Narrowed(a, b []Vendor) []Vendor {
	if slices.Contains(a, AnyVendor) {
		return b
	}
	if slices.Contains(b, AnyVendor) {
		return a
	}
	both := []Vendor{}
	for _, v := range a {
		if slices.Contains(b, v) {
			both = append(both, v)
		}
	}
	return both
}

func (l Lifecycle) admits(a *Access, now time.Time) bool {
	switch l {
	case LiveOnly, CurrentOnly:
		return a.Live(now)
	case TrashOnly:
		return !a.DeletedAt.IsZero()
	case LiveOrTrash:
		return !a.DeletedAt.IsZero() || a.Live(now)
	case AnyState:
		return true
	}
	return false
}
