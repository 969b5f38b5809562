package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// changesPage is how many events are read at a time. It bounds the memory that a slow reader uses.
const changesPage = 500

// maxPosition is longer than any position of a feed.
const maxPosition = 200

// Changes is a reader's place in the feed of changes. Only one goroutine may use it.
type Changes struct {
	app   *Service
	org   loci.OrgID
	kinds []loci.FeedKind
	at    store.Position
}

// ChangeEvent is a change and the position after it.
type ChangeEvent struct {
	loci.FeedEvent
	Position string
}

// ChangePage is one page of changes.
type ChangePage struct {
	Events []ChangeEvent
	// Reset means that Loci cannot tell what has changed since the reader's place, or that the
	// reader may now see something else. The reader must read everything again. Then there are no
	// events, and the place is at the end of the feed.
	Reset bool
	// Position is the place after all rows of this page. It does not reveal how many rows that were.
	Position string
	// More means that there is more to read immediately. It counts rows that the reader may not
	// see, so callers must reveal neither More nor how events are spread over pages.
	More bool
}

// Changes returns a place from which to read future changes of rows of some kinds (none: memories and nodes, "all":
// all), or changes after a position of a ChangePage, which may have been read with other kinds. Invalid if after is
// not a position, or if a kind is not one. A position that is no longer in the feed causes a reset at the first read.
func (s *Service) Changes(ctx context.Context, p loci.Principal, after string, kinds ...string) (*Changes, error) {
	if err := s.Begin(ctx, p, ChangesRead); err != nil {
		return nil, err
	}
	c := &Changes{app: s, org: p.OrgID, at: store.Position(after)}
	var err error
	if c.kinds, err = loci.ParseFeedKinds(kinds); err != nil {
		return nil, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if after == "" {
			c.at, err = tx.Feed().Now(ctx, p.Viewer())
			return err
		}
		if len(after) > maxPosition {
			return loci.Errorf(loci.Invalid, "too long")
		}
		_, err = tx.Feed().After(ctx, p.Viewer(), store.FeedQuery{After: c.at, Limit: 1})
		return err
	})
	switch loci.CodeOf(err) {
	case loci.Invalid:
		return nil, loci.FieldErrorf("last_event_id", "is not the id of an event of this stream; leave it out to begin now")
	case loci.Conflict:
		err = nil
	}
	return c, err
}

// Position returns the reader's place.
func (c *Changes) Position() string { return string(c.at) }

// Written returns a channel that closes when this process writes anything to the org, visible or
// not. Call it before the read after which you wait.
func (c *Changes) Written() <-chan struct{} { return c.app.Written(c.org) }

// Read returns the changes after the place that p may see, and moves the place. p is the reader
// with its present rights: Forbidden if it may not read any more.
func (c *Changes) Read(ctx context.Context, p loci.Principal) (*ChangePage, error) {
	if err := c.app.May(p, ChangesRead); err != nil {
		return nil, err
	}
	out, q := &ChangePage{}, c.query(p)
	err := c.app.Store.View(ctx, c.org, func(tx store.Tx) error {
		page, err := tx.Feed().After(ctx, p.Viewer(), q)
		if out.Reset = loci.CodeOf(err) == loci.Conflict; out.Reset {
			page = store.FeedPage{}
			page.Next, err = tx.Feed().Now(ctx, p.Viewer())
		}
		out.Position, out.More = string(page.Next), page.More
		out.Events = make([]ChangeEvent, len(page.Events))
		for i, e := range page.Events {
			out.Events[i] = ChangeEvent{e.FeedEvent, string(e.Position)}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	c.at = store.Position(out.Position)
	return out, nil
}

// listing is the action that lists the rows of each kind, of whichever capability. A credential that may not list rows
// learns of no changes of them.
var listing = map[loci.FeedKind]gate.Action{
	loci.FeedMemory: ChangesRead, loci.FeedNode: ChangesRead, loci.FeedSuggestion: SuggestionRead,
	loci.FeedCandidate: "review.read", loci.FeedSession: "session.read", loci.FeedEvents: "event.read",
	loci.FeedTask: "task.read", loci.FeedProject: "project.read", loci.FeedGraph: "graph.read",
	loci.FeedDream: "dream.read", loci.FeedAgent: "agent.read",
	loci.FeedKey: "key.list", loci.FeedGrant: "grant.list", loci.FeedSignIn: "sign_in.list",
	loci.FeedMember: "team.read", loci.FeedTeam: "team.read", loci.FeedInvitation: "team.read",
	loci.FeedWorkspace: "workspace.read", loci.FeedOrg: "org.read",
}

// memberList is the action that lists all people and invitations of the org.
const memberList gate.Action = "member.list"

// query asks for the next page of the kinds that p may list now.
func (c *Changes) query(p loci.Principal) store.FeedQuery {
	q := store.FeedQuery{After: c.at, Limit: changesPage}
	for _, kind := range c.kinds {
		if c.app.May(p, listing[kind]) != nil || kind == loci.FeedInvitation && !c.invites(p) {
			continue
		}
		q.Kinds = append(q.Kinds, kind)
		if c.all(p, kind) {
			q.All = append(q.All, kind)
		}
	}
	return q
}

// invites reports whether p may list invitations, at least those to their team.
func (c *Changes) invites(p loci.Principal) bool {
	return p.TeamRole.AtLeast(loci.MemberAdmin) || c.app.May(p, memberList) == nil
}

// all reports whether p may list every row of a kind in the org.
func (c *Changes) all(p loci.Principal, kind loci.FeedKind) bool {
	switch kind {
	case loci.FeedDream: // receipts have no access of their own
		return true
	case loci.FeedAgent, loci.FeedOrg:
		return !p.OnlyProjects
	case loci.FeedMember, loci.FeedInvitation:
		return c.app.May(p, memberList) == nil
	case loci.FeedTeam, loci.FeedWorkspace:
		return p.Kind == loci.KindLocal || p.OrgRole.AtLeast(loci.MemberAdmin)
	}
	return false
}
