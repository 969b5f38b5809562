package mcpserver

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// ChatGPT knows the tools search and fetch by their names and takes no others unless the person turns developer mode
// on. Their arguments and the members of their answers are OpenAI's. docs/clients.md names the source.

// document is a memory in an answer of search, or with its text in one of fetch.
type document struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text,omitempty"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// documentOf leaves out the text. The id is whole, because ChatGPT shows it to people as the name of a source.
func (s *Server) documentOf(m *loci.Memory) document {
	id, url := m.ID.String(), memoryURI+m.ID.String()
	if base := s.pages(); base != "" {
		url = base + "/app/memories/" + id
	}
	return document{ID: id, Title: m.Title, URL: url}
}

func plainSearchFields(_ *call, in *memory.SearchRequest) []field {
	in.Limit, in.Kinds = searchDefault, []memory.Kind{memory.KindMemory} // only memories have pages
	return []field{text("query", &in.Query, 1, loci.MaxTerm).must()}
}

func (s *Server) plainSearch(ctx context.Context, c *call, in *memory.SearchRequest) (any, error) {
	found, err := s.app.Memory.Recall(ctx, c.principal, *in)
	if err != nil {
		return nil, err
	}
	results := make([]document, len(found.Items))
	for i := range found.Items {
		results[i] = s.documentOf(&found.Items[i].Memory)
	}
	return map[string]any{"results": results}, nil
}

// offsetMark stands in the id of a fetch between the memory's and the character to read on from: a fetch has no other
// argument.
const offsetMark = "#"

func fetchFields(c *call, in *oneMemory) []field {
	return []field{value("id", "a string", plain(), func(path, v string) error {
		id, offset, found := strings.Cut(v, offsetMark)
		if n, err := strconv.Atoi(offset); err == nil && n > 0 {
			in.offset = n
		} else if found {
			return loci.FieldErrorf(path, "has no number after %s; send an id from search, or all of the one in more",
				offsetMark)
		}
		return c.findMemory(path, id, &in.id)
	}).must()}
}

func (s *Server) fetch(ctx context.Context, c *call, in *oneMemory) (any, error) {
	m, superseded, err := s.memoryOf(ctx, c, in.id)
	if err != nil {
		return nil, err
	}
	if n := utf8.RuneCountInString(m.Content); in.offset >= n {
		return nil, loci.FieldErrorf("id", "must have a number less than %d after %s: this memory has no more characters",
			n, offsetMark)
	}
	out := s.documentOf(m)
	out.Metadata = metadataOf(s.bareHit(ctx, c, m), superseded)
	body, err := encode(out)
	if err != nil {
		return nil, err
	}
	left := 0
	if out.Text, left = s.cutText(m.Content, in.offset, body); left > 0 {
		end := in.offset + utf8.RuneCountInString(out.Text)
		out.Metadata["more"] = "The text has " + strconv.Itoa(left) + " more characters: fetch " +
			out.ID + offsetMark + strconv.Itoa(end)
	}
	return out, nil
}

// metadataOf returns what a hit says about a memory beside its text.
func metadataOf(h hit, superseded bool) map[string]string {
	out := map[string]string{"date": h.Date, "origin": h.Origin, "key": h.Key, "tags": strings.Join(h.Tags, ", "),
		"project": h.Project, "superseded_by": h.SupersededBy, "expires": h.Expires, "not_true_since": h.NotTrueSince,
		"not_true_until": h.NotTrueUntil, "disputed_by": strings.Join(h.DisputedBy, ", "),
		"pending_supersede": h.PendingSupersede}
	if superseded {
		out["superseded"] = "true"
	}
	for name, v := range out {
		if v == "" {
			delete(out, name)
		}
	}
	return out
}
