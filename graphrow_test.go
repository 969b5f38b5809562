package loci_test

import (
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
)

func TestImportedRowsOfAGraph(t *testing.T) {
	now := time.Date(2026, 11, 22, 1, 2, 3, 456_789_000, time.FixedZone("", 3600))
	access := loci.GraphAccess{UserID: loci.NewUserID(), Origin: "claude",
		AllowedVendors: []loci.Vendor{"claude", "claude"}}
	ada := loci.Entity{ID: loci.NewEntityID(), Name: "Ada", Type: "person", GraphAccess: access, CreatedAt: now,
		UpdatedAt: now}
	wrote := loci.Observation{ID: loci.NewObservationID(), EntityID: ada.ID, Content: "x", GraphAccess: access,
		CreatedAt: now}
	knows := loci.Relation{ID: loci.NewRelationID(), FromID: ada.ID, ToID: ada.ID, Type: "knows", GraphAccess: access,
		CreatedAt: now}
	entity := func(change func(*loci.Entity)) error { x := ada; change(&x); return x.Validate("row") }
	observation := func(change func(*loci.Observation)) error { x := wrote; change(&x); return x.Validate("row") }
	relation := func(change func(*loci.Relation)) error { x := knows; change(&x); return x.Validate("row") }
	for _, tt := range []struct {
		field string
		err   error
	}{
		{"", entity(func(x *loci.Entity) { x.AllowedVendors = []loci.Vendor{} })},
		{"row.id", entity(func(x *loci.Entity) { x.ID = loci.EntityID{} })},
		{"row.name", entity(func(x *loci.Entity) { x.Name = "" })},
		{"row.entity_type", entity(func(x *loci.Entity) { x.Type = "" })},
		{"row.deleted_at", entity(func(x *loci.Entity) { x.DeletedAt = now })},
		{"row.origin", entity(func(x *loci.Entity) { x.Origin = "No Vendor" })},
		{"allowed_vendors", entity(func(x *loci.Entity) { x.AllowedVendors = nil })},
		{"allowed_vendors[0]", entity(func(x *loci.Entity) { x.AllowedVendors = []loci.Vendor{"NO"} })},
		{"row.created_at", entity(func(x *loci.Entity) { x.CreatedAt = time.Time{} })},
		{"row.updated_at", entity(func(x *loci.Entity) { x.UpdatedAt = now.AddDate(9999, 0, 0) })},
		{"", observation(func(*loci.Observation) {})},
		{"row.id", observation(func(x *loci.Observation) { x.EntityID = loci.EntityID{} })},
		{"row.content", observation(func(x *loci.Observation) { x.Content = strings.Repeat("x", loci.MaxObservation+1) })},
		{"row.created_at", observation(func(x *loci.Observation) { x.CreatedAt = time.Time{} })},
		{"", relation(func(*loci.Relation) {})},
		{"row.id", relation(func(x *loci.Relation) { x.ToID = loci.EntityID{} })},
		{"row.relation_type", relation(func(x *loci.Relation) { x.Type = "" })},
		{"row.deleted_at", relation(func(x *loci.Relation) { x.DeletedAt = now })},
	} {
		if got := loci.FieldOf(tt.err); got != tt.field {
			t.Errorf("got %v, want %q", tt.err, tt.field)
		}
	}
	if err := ada.Validate("row"); err != nil || !ada.CreatedAt.Equal(now.Truncate(time.Millisecond)) ||
		len(ada.AllowedVendors) != 1 {
		t.Errorf("after validation: %+v, %v", ada, err)
	}
}
