package gate

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/loci-memory/loci"
)

// digestSize is the number of bytes that bind a cursor to its query. They prevent mistakes, not
// attacks: a forged position reveals nothing, because every page applies the visibility rule again.
const digestSize = 8

// SealCursor binds a position to the principal and the query that it came from.
func SealCursor(p loci.Principal, query any, kind, position string) string {
	sum := cursorDigest(p, query, kind)
	return base64.RawURLEncoding.EncodeToString(append(sum, position...))
}

// OpenCursor returns the position in a cursor. It returns an Invalid error if the cursor is damaged
// or belongs to another query or principal.
func OpenCursor(p loci.Principal, query any, kind, cursor string) (string, error) {
	const help = "does not belong to this query; leave it out to start at the first page"
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
