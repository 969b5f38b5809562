package agent

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is loci.NewAgent.
type Draft = loci.NewAgent

// ListRequest asks for one page of agents, by name.
type ListRequest struct {
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// Create registers an agent of the person, and of the vendor of the credential if that has one.
// Conflict if there is one of that vendor and name; Forbidden for another vendor than one's own, and for a key that is
// limited to projects, which could not see it.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (loci.Agent, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return loci.Agent{}, err
	}
	now := s.Time()
	made := loci.Agent{ID: loci.NewAgentID(), OrgID: p.OrgID, UserID: p.UserID, Name: d.Name, Config: d.Config,
		CreatedAt: now, UpdatedAt: now}
	var err error
	if made.Vendor, err = s.vendorOf(ctx, p, Create, d.Vendor); err != nil {
		return loci.Agent{}, err
	}
	if made.Vendor == "" {
		return loci.Agent{}, loci.FieldErrorf("vendor",
			"is required: the product that the agent belongs to, such as claude or cursor")
	}
	if err := made.Validate(); err != nil {
		return loci.Agent{}, err
	}
	err = s.Write(ctx, p, Create, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = made.ID.String()
		return tx.Agents().Insert(ctx, made)
	})
	return made, err
}

// vendorOf returns the vendor that new work of p is of: the one that was asked for, which for an agent
// is its own, or else that of the credential.
func (s *Service) vendorOf(ctx context.Context, p loci.Principal, act gate.Action, asked loci.Vendor) (
	loci.Vendor, error) {
	if p.OnlyProjects {
		s.Refused(ctx, p, act)
		return "", loci.Errorf(loci.Forbidden,
			"this key is limited to projects, and agents and their sessions are of none; use a key that is not")
	}
	if asked == "" || asked == p.Vendor {
		return p.Vendor, nil
	}
	if p.Vendor != "" {
		s.Refused(ctx, p, act)
		return "", loci.Errorf(loci.Forbidden, "an agent does this for its own vendor only; leave vendor out")
	}
	if err := auth.CheckVendor(asked); err != nil {
		return "", loci.FieldErrorf("vendor", "cannot be used: %s", loci.SafeText(err))
	}
	return asked, nil
}

// List returns the person's agents, by name; a vendor's credential gets those of its vendor. Invalid if the
// cursor belongs to another query or principal.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[loci.Agent], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[loci.Agent]{}, err
	}
	page, err := gate.ReadPage(p, "agents", nil, r.Limit, r.Cursor,
		func(position string, limit int) (list []loci.Agent, next string, err error) {
			var after loci.AgentID
			if position != "" && (after.UnmarshalText([]byte(position)) != nil || after.IsZero()) {
				return nil, "", errNotItsCursor()
			}
			err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
				list, err = tx.Agents().List(ctx, p.Viewer(), after, limit+1)
				return err
			})
			if len(list) > limit {
				list, next = list[:limit], list[limit-1].ID.String()
			}
			return list, next, err
		})
	if loci.CodeOf(err) == loci.NotFound { // the agent of the cursor is gone
		err = errNotItsCursor()
	}
	return page, err
}

func errNotItsCursor() error {
	return loci.FieldErrorf("cursor", "does not belong to this query; leave it out to start at the first page")
}

// Get returns an agent. NotFound if it does not exist or is not visible.
func (s *Service) Get(ctx context.Context, p loci.Principal, id loci.AgentID) (got loci.Agent, err error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return got, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (loci.Agent, error) {
		return tx.Agents().Get(ctx, p.Viewer(), id)
	})
}
