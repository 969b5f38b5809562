package loci

import (
	"slices"
	"strings"
	"time"
)

// Viewer is the part of a principal that decides what it may see. Principal.Viewer creates it.
type Viewer struct {
	OrgID        OrgID
	UserID       UserID      // the person, or the person for whom an agent acts
	TeamID       TeamID      // their team; zero: none
	ProjectIDs   []ProjectID // the projects they belong to
	OnlyProjects bool        // only rows of ProjectIDs are visible
	WorkspaceID  WorkspaceID // the active one; zero: workspaces are off
	AgentID      AgentID     // the agent of the reader's session; zero: none
	Vendor       Vendor      // "": a person, whom no vendor limits
}

// TrashDays is how many days a memory or a memory node stays in the trash before Loci deletes it permanently.
const TrashDays = 30

// Lifecycle selects which states of part 4 of the rule a read includes. It never relaxes parts 1 to
// 3.
type Lifecycle int

// The lifecycles.
const (
	LiveOnly    Lifecycle = iota // not trashed, not expired, not superseded
	TrashOnly                    // in the trash, expired or not
	LiveOrTrash                  // either, or expired for its owner: when a person looks up one id
	AnyState                     // all states: history, export
	ExpiredOnly                  // expired, and neither trashed nor superseded; for its owner
	CurrentOnly                  // only for memories: live and valid now; recall, search, context, briefing
	lifecycles                   // their number; a new one goes above
)

// Lifecycles returns all lifecycles. The tests of the rule take them from here.
func Lifecycles() []Lifecycle {
	list := make([]Lifecycle, lifecycles)
	for i := range list {
		list[i] = Lifecycle(i)
	}
	return list
}

// Sees is the visibility rule. It reports whether v may know that the row with access a exists. It
// applies to every kind of row. It uses now to decide what has expired.
//
//  1. Tenant: the org must be the same, and the workspace the active one where workspaces are on.
//  2. Reach: a person reaches their own rows, their team's pool and their projects. For a row of
//     agent scope, everyone except the owner needs a session of the row's agent. That includes
//     agents that act for the owner. A credential limited to projects reaches only the rows of
//     those projects. A session or an event has a reach instead of a scope: its owner reaches it, and
//     everybody in the org or in its team if that is its reach. If it is part of a project, they must
//     also belong to that.
//  3. Vendor: a vendor's credential needs "*" or its own name on the list.
//  4. Lifecycle: the row must be live, unless l selects other states. Only its owner sees a row in
//     the trash, even if it was shared. Only memories have a time of validity, which SeesMemory
//     checks.
//
// A zero viewer sees nothing.
func (v Viewer) Sees(a *Access, l Lifecycle, now time.Time) bool {
	return v.inTenant(a) && v.reaches(a) && v.vendorMay(a) && l.admits(a, now) &&
		(a.DeletedAt.IsZero() || a.UserID == v.UserID) && (!l.isExpired(a, now) || v.owns(a))
}

// SeesMemory works like Sees for a memory, and checks its validity for CurrentOnly.
func (v Viewer) SeesMemory(m *Memory, l Lifecycle, now time.Time) bool {
	return v.Sees(&m.Access, l, now) && (l != CurrentOnly || m.current(now))
}

// SeesVersion works like Sees for an old version. Both the old version and the current row must pass: their
// allowed_vendors, reach and active workspace. The reason is that sharing a memory doesn't share its earlier content.
// A version from before the org had workspaces counts as being in the workspace that its memory is in now.
func (v Viewer) SeesVersion(old, current *Access, l Lifecycle, now time.Time) bool {
	return v.Sees(current, l, now) && v.vendorMay(old) && v.reaches(old) &&
		(v.WorkspaceID.IsZero() || old.WorkspaceID.IsZero() || old.WorkspaceID == v.WorkspaceID)
}

// SharedWith tells which people besides its owner may read a row, by part 2 of the rule: "the team", the project by
// the words of the caller, both joined by "and", or "" for nobody. The vendors that the row admits limit the
// assistants of these people, not the people. Only the owner sees the trash.
func (a *Access) SharedWith(project string) string { return a.notSharedBy(&Access{}, project) }

// NotSharedBy tells which people besides its owner may read a row, but not another one that takes its
// place: "the team", "the project", both joined by "and", or "" for nobody.
func (a *Access) NotSharedBy(by *Access) string { return a.notSharedBy(by, theProject) }

func (a *Access) notSharedBy(by *Access, project string) string {
	if !a.DeletedAt.IsZero() {
		return ""
	}
	var people []string
	if !a.TeamID.IsZero() && a.Scope != ScopeAgent && (by.TeamID != a.TeamID || by.Scope == ScopeAgent) {
		people = append(people, theTeam)
	}
	if !a.ProjectID.IsZero() && a.Scope == ScopeProject && (by.ProjectID != a.ProjectID || by.Scope != ScopeProject) {
		people = append(people, project)
	}
	return strings.Join(people, " and ")
}

// What SharedWith calls people.
const (
	theTeam    = "the team"
	theProject = "the project"
)

func (v Viewer) inTenant(a *Access) bool {
	return v.OrgID != "" && v.OrgID == a.OrgID && !v.UserID.IsZero() &&
		(v.WorkspaceID.IsZero() || v.WorkspaceID == a.WorkspaceID)
}

func (v Viewer) reaches(a *Access) bool {
	if a.Reach != "" {
		return v.reachesWork(a)
	}
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

// reachesWork is reaches for sessions and events.
func (v Viewer) reachesWork(a *Access) bool {
	inProject := !a.ProjectID.IsZero() && slices.Contains(v.ProjectIDs, a.ProjectID)
	switch {
	case v.OnlyProjects && !inProject:
		return false
	case a.UserID == v.UserID:
		return true
	case !a.ProjectID.IsZero() && !inProject:
		return false
	case a.Reach == ReachTeam:
		return !a.TeamID.IsZero() && a.TeamID == v.TeamID
	}
	return a.Reach == ReachOrg
}

// owns reports whether the reader is a person, not an agent, and owns the row.
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

// Narrowed returns the vendors that both lists admit. An empty result admits only people, no vendor.
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
		return !a.DeletedAt.IsZero() || a.SupersededBy.IsZero()
	case ExpiredOnly:
		return l.isExpired(a, now)
	case AnyState:
		return true
	}
	return false
}

// isExpired reports whether only its owner sees a row by l, because it has expired.
func (l Lifecycle) isExpired(a *Access, now time.Time) bool {
	return (l == ExpiredOnly || l == LiveOrTrash) && a.DeletedAt.IsZero() && a.SupersededBy.IsZero() && !a.Live(now)
}

// HiddenBy says which part of the visibility rule keeps a memory from a reader.
type HiddenBy string

// These are the parts, in the order in which WhyHidden looks at them. "" means that the reader sees the memory.
const (
	HiddenByTenant   HiddenBy = "tenant"        // it is in another org or workspace
	HiddenByReach    HiddenBy = "reach"         // the person, or the session of the agent, does not reach it
	HiddenByVendor   HiddenBy = "vendor"        // its allowed_vendors do not have the vendor
	HiddenByTrash    HiddenBy = "trash"         // it is in the trash
	HiddenByReplaced HiddenBy = "superseded"    // another memory supersedes it
	HiddenByExpiry   HiddenBy = "expired"       // its time is over
	HiddenByValidity HiddenBy = "not_valid_now" // it is not valid yet, or not any more
)

// WhyHidden returns why recall does not show v a memory, or "" if it does. It is the rule of SeesMemory with
// CurrentOnly, part by part.
func (v Viewer) WhyHidden(m *Memory, now time.Time) HiddenBy {
	a := &m.Access
	switch {
	case !v.inTenant(a):
		return HiddenByTenant
	case !v.reaches(a):
		return HiddenByReach
	case !v.vendorMay(a):
		return HiddenByVendor
	case !a.DeletedAt.IsZero():
		return HiddenByTrash
	case !a.SupersededBy.IsZero():
		return HiddenByReplaced
	case !a.Live(now):
		return HiddenByExpiry
	case !m.current(now):
		return HiddenByValidity
	}
	return ""
}

// MemoryReaders says who reads a memory.
type MemoryReaders struct {
	MemoryID MemoryID `json:"memory_id"`
	// People are those besides the owner: "the team", "the project", both joined by "and", or "".
	People string `json:"people,omitempty" doc:"The people besides the owner: the team, the project, or both" example:"the team"`
	// Vendors are the known vendors and those that the memory names.
	Vendors []VendorSees `json:"vendors" nullable:"false" doc:"What an assistant of each vendor gets that works for you, outside of a session"`
}

// VendorSees says whether the assistants of a vendor get a memory.
type VendorSees struct {
	Vendor Vendor `json:"vendor" example:"chatgpt"`
	Label  string `json:"label" doc:"The name of the product" example:"ChatGPT"`
	Sees   bool   `json:"sees"`
	// HiddenBy is empty if Sees.
	HiddenBy HiddenBy `json:"hidden_by,omitempty" enum:"tenant,reach,vendor,trash,superseded,expired,not_valid_now" doc:"The first part of the rule that hides it"`
}

// ReadersOf returns who reads a memory, for a person who sees it.
func (v Viewer) ReadersOf(m *Memory, now time.Time) MemoryReaders {
	out := MemoryReaders{MemoryID: m.ID, People: m.SharedWith(theProject), Vendors: []VendorSees{}}
	add := func(vendor Vendor, label string) {
		if slices.ContainsFunc(out.Vendors, func(o VendorSees) bool { return o.Vendor == vendor }) {
			return
		}
		v.Vendor, v.AgentID = vendor, AgentID{}
		why := v.WhyHidden(m, now)
		out.Vendors = append(out.Vendors, VendorSees{vendor, label, why == "", why})
	}
	for i := range Vendors {
		add(Vendors[i].Name, Vendors[i].Label)
	}
	others := slices.Clone(m.AllowedVendors)
	slices.SortFunc(others, func(a, b Vendor) int { return strings.Compare(string(a), string(b)) })
	for _, vendor := range others {
		if vendor != AnyVendor {
			add(vendor, string(vendor))
		}
	}
	return out
}
