package sqlstore

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loci-memory/loci"
)

// What is packed comes back as far as anybody's sight depends on it, and a part
// of it does not pass for another's.
func TestPackedAccess(t *testing.T) {
	tx := &Tx{Options: &Options{Org: loci.DefaultOrg}}
	id := func(n byte) (id [16]byte) { id[15] = n; return id }
	list := []loci.Access{
		{UserID: id(1), Scope: loci.ScopeGlobal, AllowedVendors: []loci.Vendor{loci.AnyVendor}},
		{UserID: id(2), Scope: loci.ScopeProject, ProjectID: id(3), TeamID: id(4),
			AllowedVendors: []loci.Vendor{"claude", "cursor"}, DeletedAt: time.UnixMicro(0)},
		{UserID: id(5), Scope: loci.ScopeAgent, AgentID: id(6), WorkspaceID: id(7)},
		{UserID: id(8), Reach: loci.ReachTeam, TeamID: id(9), ProjectID: id(10), AllowedVendors: []loci.Vendor{"*"}},
	}
	for i := range list {
		list[i].OrgID = tx.Org
	}
	b, err := packAccess(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tx.unpackAccess(b)
	if diff := cmp.Diff(list, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for n := range len(b) {
		got, err := tx.unpackAccess(b[:n])
		if whole := len(got) < len(list) && cmp.Equal(got, list[:len(got)], cmpopts.EquateEmpty()); err == nil && !whole {
			t.Errorf("%d bytes: %+v", n, got)
		}
	}
	huge := binary.AppendUvarint(append(make([]byte, 17), 1), math.MaxUint64) // of the length of a vendor's name
	if got, err := tx.unpackAccess(huge); err == nil {
		t.Errorf("a length beyond the end: %+v", got)
	}
	if _, err := packAccess([]loci.Access{{Scope: "other"}}); err == nil {
		t.Error("a scope that nobody knows was packed")
	}
	if _, err := packAccess([]loci.Access{{Scope: loci.ScopeGlobal, Reach: loci.ReachOrg}}); err == nil {
		t.Error("a row with a scope and a reach was packed")
	}
	if got, err := tx.unpackAccess(append([]byte{packedReach, 3}, make([]byte, 17)...)); err == nil {
		t.Errorf("a reach that nobody knows: %+v", got)
	}
}
