package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// changesPage is how many events are read at a time: what a slow reader holds in memory.
const changesPage = 500

// maxPosition is longer than any position of a feed.
const maxPosition = 200

// Changes is a reader's place in what changes. It is for one goroutine.
type Changes struct {
	app *Service
	org loci.OrgID
	at  store.Position
}

// ChangeEvent is a change with the position behind it.
type ChangeEvent struct {
	loci.FeedEvent
	Position string
}

// ChangePage is a part of what has changed.
type ChangePage struct {
	Events []ChangeEvent
	// Reset says that what lies between here and the reader's place is not known, or that the reader may see something
	// else now: it has to read everything again. There are no events then, and the place is behind everything.
	Reset bool
	// Position is behind everything that was looked at. It says nothing of how much that was.
	Position string
	// More says that there is more to look at now: read again at once. It counts what the reader may not see, so
	// nobody may learn of it, nor of how the events are spread over pages.
	More bool
}

// Changes returns a place from which to read what changes from now on, or behind a position of a ChangePage. Invalid if
// after is no position. One that leads nowhere any more shows as a reset at the first read.
func (s *Service) Changes(ctx context.Context, p loci.Principal, after string) (*Changes, error) {
	if err := s.Begin(ctx, p, ChangesRead); err != nil {
		return nil, err
	}
	c := &Changes{app: s, org: p.OrgID, at: store.Position(after)}
	err := s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) {
		if after == "" {
			c.at, err = tx.Feed().Now(ctx, p.Viewer())
			return err
		}
		if len(after) > maxPosition {
			return loci.Errorf(loci.Invalid, "too long")
		}
		_, err = tx.Feed().After(ctx, p.Viewer(), c.at, 1)
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

// Position is where the reader stands.
func (c *Changes) Position() string { return string(c.at) }

// Written returns a channel that closes when something is written to the org by this process, visible or not. Whoever
// waits on it takes it before the read after which it waits.
func (c *Changes) Written() <-chan struct{} { return c.app.Written(c.org) }

// Read returns what p sees of what is behind the place, and moves there. p is the reader as it is
// now: Forbidden if it may not read any more.
func (c *Changes) Read(ctx context.Context, p loci.Principal) (*ChangePage, error) {
	if err := c.app.May(p, ChangesRead); err != nil {
		return nil, err
	}
	out := &ChangePage{}
	err := c.app.Store.View(ctx, c.org, func(tx store.Tx) error {
		page, err := tx.Feed().After(ctx, p.Viewer(), c.at, changesPage)
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
