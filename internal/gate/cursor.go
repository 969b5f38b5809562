package gate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/loci-memory/loci"
)

// digestSize is how many bytes bind a cursor to its query. It guards against
// mistakes, not attackers: a forged position reveals nothing, because every
// page applies the visibility rule anew.
const digestSize = 8

// SealCursor binds a position to the principal and the query it came from.
func SealCursor(p loci.Principal, query any, kind, position string) string {
	sum := cursorDigest(p, query, kind)
	return base64.RawURLEncoding.EncodeToString(append(sum, position...))
}

// OpenCursor returns the position in a cursor, or an Invalid error if it was
// damaged or belongs to another query or principal.
func OpenCursor(p loci.Principal, query any, kind, cursor string) (string, error) {
	const help = "is not a cursor of this query; leave it out to begin at the first page"
	if len(cursor) > 1024 {
		return "", loci.FieldErrorf("cursor", help)
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(raw) < digestSize || string(raw[:digestSize]) != string(cursorDigest(p, query, kind)) {
		return "", loci.FieldErrorf("cursor", help)
	}
	return string(raw[digestSize:]), nil
}

func cursorDigest(p loci.Principal, query any, kind string) []byte {
	bound := struct {
		Kind, Org, User, Vendor string
		Query                   any
	}{kind, string(p.OrgID), p.UserID.String(), string(p.Vendor), query}
	b, err := json.Marshal(bound)
	if err != nil {
		panic(err) // query is one of our own plain structs
	}
	sum := sha256.Sum256(b)
	return sum[:digestSize]
}
