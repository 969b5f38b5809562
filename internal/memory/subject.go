package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

const (
	// shortFact is how many words of a content may be one fact. Longer texts under one title are
	// chapters, which do not exclude each other.
	shortFact = 24
	// maxTitled is how many others may have the title of a fact. A title of more, such as "Note", is no
	// name of anything.
	maxTitled = 2
)

// ofKey adds the newest memories with the key.
func (c *candidates) ofKey(ctx context.Context, tx store.Tx) error {
	if c.Key == "" {
		return nil
	}
	page, err := tx.Lists().List(ctx, c.v, store.ListQuery{Filter: store.Filter{Key: c.Key}, Limit: similarUnsure})
	if err != nil {
		return err
	}
	for _, o := range page.Memories {
		c.add(o.ID)
	}
	return nil
}

// ofSubject says what two texts that are not alike are to each other if they have one key or title.
func (c *compared) ofSubject(o *compared, titled bool) loci.Likeness {
	keyed := sameKey(c.Memory, o.Memory)
	if !keyed && !titled {
		return ""
	}
	switch {
	case c.text.Excludes(o.text):
		return loci.Contradiction
	case !keyed && max(c.text.Words, o.text.Words) >= shortFact:
		return ""
	}
	return loci.SameSubject
}

// sameKey reports whether two memories have one key in one place, or in a project and outside of it.
func sameKey(m, o *loci.Memory) bool {
	if m.Key == "" || m.Key != o.Key || m.WorkspaceID != o.WorkspaceID {
		return false
	}
	if m.Scope == loci.ScopeAgent || o.Scope == loci.ScopeAgent {
		return m.Scope == o.Scope && m.AgentID == o.AgentID && m.ProjectID == o.ProjectID
	}
	return m.ProjectID == o.ProjectID || m.ProjectID.IsZero() || o.ProjectID.IsZero()
}

// sameTitle reports whether the titles differ at most in case and punctuation.
func (c *compared) sameTitle(o *compared) bool {
	return c.ProjectID == o.ProjectID && c.title.Same(o.title)
}

// namesSubject reports whether few others have the title.
func (c *compared) namesSubject(others []*compared) bool {
	n := 0
	for _, o := range others {
		if c.title.Same(o.title) {
			n++
		}
	}
	return n <= maxTitled
}
