package identity

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// AuditQuery selects entries of the audit trail. See store.AuditQuery.
type AuditQuery = store.AuditQuery

// AuditRow is an entry of the audit trail. See store.AuditRow.
type AuditRow = store.AuditRow

// AuditSeen is an entry of the audit trail as a person sees it. See store.AuditSeen.
type AuditSeen = store.AuditSeen

// maxAudit is the maximum number of entries on one page of the trail.
const maxAudit = 1000

// AuditTrail returns the actions and rejections in the org, last recorded first. If Limit is 0, it is 100;
// the maximum is 1,000.
func (s *Service) AuditTrail(ctx context.Context, p loci.Principal, q AuditQuery) ([]AuditRow, error) {
	if err := s.Begin(ctx, p, AuditReadAll, gate.SetSize("limit", &q.Limit, 100, maxAudit)); err != nil {
		return nil, err
	}
	ids, err := s.Store.ProjectMembers().All(ctx, p.OrgID, loci.WorkspaceID{})
	if err != nil {
		return nil, err
	}
	s.gatherAudit(ctx, p.OrgID, ids)
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]AuditRow, error) {
		return tx.Audit().List(ctx, q)
	})
}

// AuditList asks for one page of what a person may see of the trail.
type AuditList struct {
	AuditQuery        // its Limit is 0: gate.DefaultPage; at most gate.MaxPage. Before is ignored
	Cursor     string // from the previous page; "": the first page
}

// Audit returns the entries of the org's trail that the person may see, the newest first: everything that they did,
// themselves or through their assistants. Admins of the org also see who administered it. Nobody sees what others
// did with memories, sessions and graphs. It fails with Invalid for a cursor of another list.
func (s *Service) Audit(ctx context.Context, p loci.Principal, l AuditList) (page gate.Page[AuditSeen], err error) {
	if err := s.Begin(ctx, p, AuditRead); err != nil {
		return page, err
	}
	reach := store.AuditReach{UserID: p.UserID}
	if s.May(p, AuditReadOrg) == nil {
		reach.Actions = s.Administrative()
	}
	if l.Cursor == "" { // their own changes of graphs are in the projects that they belong to
		ids, err := s.Store.ProjectMembers().Of(ctx, p.OrgID, p.UserID, loci.WorkspaceID{})
		if err != nil {
			return page, err
		}
		s.gatherAudit(ctx, p.OrgID, ids)
	}
	bound := l.AuditQuery
	bound.Limit = 0
	return gate.ReadPage(p, "audit", bound, l.Limit, l.Cursor,
		func(after store.Position, limit int) (list []AuditSeen, next store.Position, err error) {
			q := l.AuditQuery
			q.Limit = limit
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, next, err = tx.Audit().Page(ctx, reach, q, after)
				return err
			})
			for i := range list {
				if list[i].UserID != p.UserID {
					list[i].CredentialID = loci.CredentialID{} // keys and sign-ins are personal
				}
			}
			return list, next, err
		})
}

// gatherAudit moves the entries in the graphs of active projects to the trail. One unreadable
// project must not hide the rest of the trail.
func (s *Service) gatherAudit(ctx context.Context, org loci.OrgID, ids []loci.ProjectID) {
	for _, id := range ids {
		err := s.Store.Projects().GatherAudit(ctx, org, id)
		if code := loci.CodeOf(err); err != nil && code != loci.NotFound && code != loci.Conflict {
			s.Log.WarnContext(ctx, "the audit trail lacks the newest changes of a graph", "project", id.String(), "error", err)
		}
	}
}
