package auth

import (
	"context"
	"slices"

	"github.com/loci-memory/loci"
)

// OnBehalf returns the principal for the server's own work on a row: the person who owns it or, if its origin is a
// vendor, that vendor acting for the person. It has the present team, projects and workspaces of the person, and no
// right that an agent lacks. So it may do nothing that the writer of the row may not do.
//
// It fails with NotFound if the person or the workspace is gone, with Forbidden if the person is disabled, the org is
// suspended or the origin is none, and with Unauthenticated as Authenticate does.
func (a *Authenticator) OnBehalf(ctx context.Context, org loci.OrgID, row *loci.EventAccess) (loci.Principal, error) {
	p := loci.Principal{Kind: loci.KindUser, UserID: row.UserID, Origin: row.Origin, Method: loci.ByServer,
		Rights: loci.AgentRights(), WorkspaceID: row.WorkspaceID}
	if !slices.Contains([]string{OriginAPI, OriginCLI, OriginDashboard}, row.Origin) {
		if err := CheckVendor(loci.Vendor(row.Origin)); err != nil {
			return loci.Principal{}, loci.WrapError(loci.Forbidden, err, "nobody can act for the origin %q", row.Origin)
		}
		p.Kind, p.Vendor = loci.KindAgent, loci.Vendor(row.Origin)
	}
	o, err := a.org(ctx, org)
	if err != nil {
		return loci.Principal{}, err
	}
	p, err = a.member(ctx, o, p)
	if err != nil {
		return loci.Principal{}, err
	}
	if p.Kind == loci.KindAdmin { // the work is the person's own
		p.Kind = loci.KindUser
	}
	if p.WorkspaceID != row.WorkspaceID {
		return loci.Principal{}, loci.Errorf(loci.NotFound, "the person is not in the workspace of the row any more")
	}
	return p, nil
}
