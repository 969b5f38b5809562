package memory

import (
	"testing"

	"github.com/loci-memory/loci"
)

// An agent takes back only what its own credential wrote for the same person. Credentials of the environment have no
// id, so each of the three has to be the same.
func TestMadeWith(t *testing.T) {
	t.Parallel()
	p := loci.Principal{UserID: loci.UserID{1}, Origin: "claude", CredentialID: loci.CredentialID{2}}
	made := loci.State{Editor: p.Origin, EditorID: p.UserID, EditorCredentialID: p.CredentialID}
	vendor, person, credential := made, made, made
	vendor.Editor, person.EditorID, credential.EditorCredentialID = "cursor", loci.UserID{3}, loci.CredentialID{4}
	for name, tt := range map[string]struct {
		by   loci.State
		want bool
	}{"the same": {made, true}, "another vendor": {vendor, false}, "another person": {person, false},
		"another credential": {credential, false}} {
		if got := madeWith(p, &tt.by); got != tt.want {
			t.Errorf("%s: got %t, want %t", name, got, tt.want)
		}
	}
}
