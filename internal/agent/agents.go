package agent

import (
	"cmp"
	"context"
	"reflect"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Draft is loci.NewAgent.
type Draft = loci.NewAgent

// Patch is loci.AgentChange.
type Patch = loci.AgentChange

// ListRequest asks for one page of agents, by name.
type ListRequest struct {
	Limit  int    // 0: 50; at most 500
	Cursor string // NextCursor of the previous page
}

// Create registers an agent of the vendor of the credential, or of the one that a person names, else api. Conflict if
// the org has an agent of that name; Forbidden for another vendor than one's own, and for a key that is limited to
// projects, which could not see it.
func (s *Service) Create(ctx context.Context, p loci.Principal, d Draft) (loci.Agent, error) {
	if err := s.Begin(ctx, p, Create); err != nil {
		return loci.Agent{}, err
	}
	made, err := s.draft(p, d)
	if loci.CodeOf(err) == loci.Forbidden {
		s.Refused(ctx, p, Create)
	}
	if err != nil {
		return loci.Agent{}, err
	}
	err = s.Write(ctx, p, Create, func(tx store.Tx, e *loci.AuditEntry) error {
		e.Target = made.ID.String()
		return s.insert(ctx, tx, p, &made)
	})
	return made, err
}

// maxTwins is among how many agents hint looks for a name that looks like a new one.
const maxTwins = 10_000

// hint sets the Hint of an agent that gets a new name.
func (s *Service) hint(ctx context.Context, tx store.Tx, p loci.Principal, named *loci.Agent) error {
	if named.Hint = ""; s.May(p, Read) != nil {
		return nil
	}
	list, err := tx.Agents().List(ctx, p.Viewer(), store.AgentQuery{Limit: maxTwins})
	for _, a := range list {
		if a.ID != named.ID {
			named.Hint = cmp.Or(named.Hint, loci.TwinHint("agent", named.Name, a.Name))
		}
	}
	return err
}

// insert stores a new agent and sets its Hint.
func (s *Service) insert(ctx context.Context, tx store.Tx, p loci.Principal, made *loci.Agent) error {
	err := s.hint(ctx, tx, p, made)
	if err == nil {
		err = tx.Agents().Insert(ctx, *made)
	}
	return err
}

func (s *Service) draft(p loci.Principal, d Draft) (made loci.Agent, err error) {
	now := s.Time()
	made = loci.Agent{ID: loci.NewAgentID(), OrgID: p.OrgID, UserID: p.UserID, Vendor: d.Vendor,
		Name: loci.Label(d.Name), Description: d.Description, Config: d.Config, CreatedAt: now, UpdatedAt: now}
	switch {
	case p.OnlyProjects:
		return made, loci.Errorf(loci.Forbidden,
			"this key is limited to projects, and agents belong to none; use a key that is not")
	case p.Vendor != "" && d.Vendor != "" && d.Vendor != p.Vendor:
		return made, loci.Errorf(loci.Forbidden, "an agent does this for its own vendor only; leave vendor out")
	case p.Vendor != "":
		made.Vendor = p.Vendor
	case d.Vendor == "":
		made.Vendor = loci.OriginAPI
		return made, cmp.Or(loci.CheckNewName("name", made.Name), made.Validate())
	}
	if err := auth.CheckVendor(made.Vendor); err != nil {
		return made, loci.FieldErrorf("vendor", "cannot be used: %s", loci.SafeText(err))
	}
	return made, cmp.Or(loci.CheckNewName("name", made.Name), made.Validate())
}

// List returns the agents of the org, by name. Invalid if the cursor belongs to another query or principal.
func (s *Service) List(ctx context.Context, p loci.Principal, r ListRequest) (gate.Page[loci.Agent], error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return gate.Page[loci.Agent]{}, err
	}
	return gate.ReadPage(p, "agents", nil, r.Limit, r.Cursor,
		func(after string, limit int) (list []loci.Agent, next string, err error) {
			q := store.AgentQuery{After: after, Limit: limit + 1}
			list, err = gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.Agent, error) {
				return tx.Agents().List(ctx, p.Viewer(), q)
			})
			if len(list) > limit {
				list, next = list[:limit], list[limit-1].Name
			}
			return list, next, err
		})
}

// Get returns the agent that text names, as store.FindAgent reads it. NotFound if it does not exist or is not visible;
// Invalid if several ids begin with text.
func (s *Service) Get(ctx context.Context, p loci.Principal, text string) (loci.Agent, error) {
	return gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (loci.Agent, error) {
		return store.FindAgent(ctx, tx, p.Viewer(), text)
	})
}

// Update changes some fields of an agent. Forbidden unless the caller is the person who registered it, an agent of its
// vendor that acts for that person, or an admin of the org; Conflict if another agent has the name; otherwise its
// errors are those of Get.
func (s *Service) Update(ctx context.Context, p loci.Principal, text string, c Patch) (after loci.Agent, err error) {
	err = s.BeginWrite(ctx, p, Change, func(tx store.Tx, e *loci.AuditEntry) error {
		before, err := changeable(ctx, tx, p, text)
		if err != nil {
			return err
		}
		e.Target = before.ID.String()
		after = before
		if c.Name != nil {
			after.Name = loci.Label(*c.Name)
		}
		gate.Set(&after.Description, c.Description)
		switch {
		case string(c.Config) == "null": // as in any other merge patch
			after.Config = nil
		case c.Config != nil:
			after.Config = c.Config
		}
		err = after.Validate()
		if err == nil && after.Name != before.Name {
			err = loci.CheckNewName("name", after.Name)
		}
		if err != nil {
			return err
		}
		if reflect.DeepEqual(before, after) {
			e.Action = ""
			return nil
		}
		after.UpdatedAt = s.Time()
		if after.Name != before.Name {
			err = s.hint(ctx, tx, p, &after)
		}
		if err == nil {
			err = tx.Agents().Update(ctx, after)
		}
		return err
	})
	return after, err
}

// Delete permanently deletes an agent. Its sessions and what it wrote stay. Its errors are those of Update.
func (s *Service) Delete(ctx context.Context, p loci.Principal, text string) error {
	return s.BeginWrite(ctx, p, Delete, func(tx store.Tx, e *loci.AuditEntry) error {
		a, err := changeable(ctx, tx, p, text)
		if err != nil {
			return err
		}
		e.Target = a.ID.String()
		return tx.Agents().Delete(ctx, a.ID)
	})
}

func changeable(ctx context.Context, tx store.Tx, p loci.Principal, text string) (loci.Agent, error) {
	a, err := store.FindAgent(ctx, tx, p.Viewer(), text)
	if err != nil {
		return a, err
	}
	mine := a.UserID == p.UserID && (p.Vendor == "" || p.Vendor == a.Vendor)
	if !mine && (p.Vendor != "" || !p.OrgRole.AtLeast(loci.MemberAdmin)) {
		return a, loci.Errorf(loci.Forbidden, "only the person who registered the agent, their agents of its vendor and "+
			"admins of the org may change it")
	}
	return a, nil
}

// Stats returns how much an agent works, as far as the caller may see. Its errors are those of Get.
func (s *Service) Stats(ctx context.Context, p loci.Principal, text string) (loci.AgentStats, error) {
	stats, err := gate.BeginView(ctx, s.Gate, p, Read, func(tx store.Tx) (stats loci.AgentStats, err error) {
		a, err := store.FindAgent(ctx, tx, p.Viewer(), text)
		if err != nil {
			return stats, err
		}
		stats.AgentID, stats.LastActiveAt = a.ID, a.LastActiveAt
		stats.Sessions, stats.Active, err = tx.Sessions().Count(ctx, p.Viewer(), store.SessionQuery{AgentID: a.ID})
		return stats, err
	})
	if err == nil {
		stats.Events, stats.EventsMore, err = s.events.CountOf(ctx, p, stats.AgentID)
	}
	return stats, err
}
