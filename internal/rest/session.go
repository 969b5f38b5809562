package rest

import (
	"context"

	"github.com/loci-memory/loci"
)

// inSession returns p as a part of the session that a body or a query names; a zero id is
// none. The header Loci-Session is the gate's: then p is in that one already.
func (s *server) inSession(ctx context.Context, p loci.Principal, id loci.SessionID) (loci.Principal, error) {
	return s.auth.InSession(ctx, p, id)
}
