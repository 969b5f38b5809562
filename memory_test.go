package loci_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loci-memory/loci"
)

func TestMemoryJSONRoundTrip(t *testing.T) {
	m := loci.Memory{ID: loci.NewMemoryID(), Title: "t", Content: "<c> & \u2028",
		CreatedAt: time.UnixMicro(1_700_000_000_000_001).UTC()}
	m.UserID, m.Origin = loci.NewUserID(), "claude"
	m.Version, m.Change, m.Editor = 3, loci.Updated, "api"
	m.SetDefaults()
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got loci.Memory
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("%s\n%s", b, diff)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"deleted_at", "team_id", "expires_at", "org_id", "OrgID"} {
		if _, ok := fields[absent]; ok {
			t.Errorf("%s is in %s", absent, b)
		}
	}
}
