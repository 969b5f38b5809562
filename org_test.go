package loci_test

import (
	"testing"

	"github.com/loci-memory/loci"
)

func TestParseEmail(t *testing.T) {
	for in, want := range map[string]string{
		"mara@example.org": "mara@example.org", " Mara@Example.ORG\n": "mara@example.org",
		"zoë@example.org": "zoë@example.org", "mara+x@example.org": "mara+x@example.org",
		"": "", "mara": "", "@example.org": "", "mara@": "", "a@b@c": "", "Mara <mara@example.org>": "",
		"\"mara\"@example.org": "", "ma ra@example.org": "", "mara@example.org,x@y.z": "",
		// whose lower case is a plain k
		"mara\x00@example.org": "", "mar\u212a@example.org": "", "mara@\u212aelvin.example": "",
	} {
		got, err := loci.ParseEmail(in)
		if got != want || (err == nil) != (want != "") || err != nil && loci.CodeOf(err) != loci.Invalid {
			t.Errorf("%q: got %q, %v; want %q", in, got, err, want)
		}
	}
}
