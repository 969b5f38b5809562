package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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

// ofKey returns the newest memories with the key, and removes them from those that are still to be read.
func (c *candidates) ofKey(ctx context.Context, tx store.Tx) ([]*loci.Memory, error) {
	if c.Key == "" {
		return nil, nil
	}
	page, err := tx.Lists().List(ctx, c.v, store.ListQuery{Filter: store.Filter{Key: c.Key}, Limit: similarUnsure})
	c.ids = slices.DeleteFunc(c.ids, func(id loci.MemoryID) bool {
		return slices.ContainsFunc(page.Memories, func(m *loci.Memory) bool { return m.ID == id })
	})
	return page.Memories, err
}

// ofTags returns the tags that others have. For those that none has, it returns the same in small or large letters,
// with a large one at the beginning, or without blanks. The save may have been stored already.
func (c *candidates) ofTags(ctx context.Context, tx store.Tx) (tags []string, err error) {
	if len(c.Tags) == 0 {
		return nil, nil
	}
	tags, err = tx.Lists().Tagged(ctx, c.v, c.Tags, c.ID)
	var alike []string
	for _, tag := range c.Tags {
		if !slices.Contains(tags, tag) {
			lower := strings.ToLower(tag)
			first, size := utf8.DecodeRuneInString(lower)
			alike = append(alike, lower, strings.ToUpper(tag), string(unicode.ToUpper(first))+lower[size:],
				strings.ReplaceAll(tag, " ", ""))
		}
	}
	if err != nil || len(alike) == 0 {
		return tags, err
	}
	alike, err = tx.Lists().Tagged(ctx, c.v, loci.Unique(alike), c.ID)
	return append(tags, alike...), err
}

// twin returns a hint at the key or tag that differs from a new one of m only in case or blanks.
func (s *saving) twin(m *loci.Memory, others []*loci.Memory) string {
	hint := ""
	if !slices.ContainsFunc(others, func(o *loci.Memory) bool { return sameKey(m, o) }) {
		for _, o := range s.ofKey {
			hint = cmp.Or(hint, loci.TwinHint("key", m.Key, o.Key))
		}
	}
	for _, tag := range m.Tags {
		if !slices.Contains(s.tags, tag) {
			hint = cmp.Or(hint, loci.TwinHint("tag", tag, s.tags...))
		}
	}
	return hint
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
