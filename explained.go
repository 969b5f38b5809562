package loci

import (
	"slices"
	"strings"
	"time"
)

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
