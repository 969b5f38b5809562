package embedded

import (
	"errors"
	"reflect"
	"testing"

	"github.com/loci-memory/loci"
)

// Files of earlier versions have these texts. A change of one needs another format, and code that reads
// both.
func TestStoredAccess(t *testing.T) {
	t.Parallel()
	user, other := loci.UserID{0: 1, 15: 2}, loci.TeamID{0: 3}
	for _, tt := range []struct {
		access loci.EventAccess
		want   string
	}{
		{loci.EventAccess{UserID: user, Reach: loci.ReachOrg, AllowedVendors: []loci.Vendor{loci.AnyVendor}},
			`{"v":1,"user":"01000000-0000-0000-0000-000000000002","reach":"org","vendors":["*"]}`},
		{loci.EventAccess{UserID: user, WorkspaceID: loci.WorkspaceID{0: 4}, ProjectID: loci.ProjectID{0: 5},
			Reach: loci.ReachTeam, TeamID: other, AllowedVendors: []loci.Vendor{"cursor", "claude"}},
			`{"v":1,"user":"01000000-0000-0000-0000-000000000002","workspace":"04000000-0000-0000-0000-000000000000",` +
				`"project":"05000000-0000-0000-0000-000000000000","reach":"team",` +
				`"team":"03000000-0000-0000-0000-000000000000","vendors":["cursor","claude"]}`},
	} {
		tt.access.OrgID = acme
		named := tt.access
		named.Origin = "claude" // belongs to the stream
		got, err := encodeAccess(named)
		if err != nil || got != tt.want {
			t.Errorf("stored as %s, %v, want %s", got, err, tt.want)
		}
		back, err := decodeAccess(acme, []byte(tt.want))
		if err != nil || !reflect.DeepEqual(back, tt.access) {
			t.Errorf("%s is read as %+v, %v, want %+v", tt.want, back, err, tt.access)
		}
	}
	for _, bad := range []string{"", "{}", `{"v":2}`, `{"v":1,"user":7}`} {
		if _, err := decodeAccess(acme, []byte(bad)); !errors.Is(err, errDamaged) {
			t.Errorf("%q is read: %v", bad, err)
		}
	}
}

// Everything that decides who sees an event is stored.
func TestStoredAccessIsWhole(t *testing.T) {
	t.Parallel()
	// The org and the origin are elsewhere, and the format is only here.
	is, want := reflect.TypeFor[storedAccess]().NumField(), reflect.TypeFor[loci.EventAccess]().NumField()-2+1
	if is != want {
		t.Errorf("an access is stored in %d fields, want %d", is, want)
	}
}
