package web

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

// memoryPath begins the address of the page of a memory.
const memoryPath = "/app/memories/"

// trashPath is the list of the trash.
const trashPath = "/app/trash"

// pageSize is how many memories or suggestions a page shows.
const pageSize = 25

// memoryList is what the first page shows: the newest memories, or what a search found.
type memoryList struct {
	Query   string
	Rows    []memoryRow
	Next    string // the address of the next page; "": there is none
	Partial bool   // the search stopped early
	Near    string // how the rows match if they do not have the words
	Pending bool   // suggestions wait for a decision
	Trash   bool   // it is the trash
	MCP     string // the address for assistants
}

type memoryRow struct {
	*loci.Memory
	Text         []loci.Piece
	Since, Until time.Time // since or until when it is not true; zero: it is true now
	Readers      string    // the assistants that may read it; "": all
	Shared       string    // the other people who may read it; "": none
	Owner        string    // "": the person
}

func (s *server) row(p loci.Principal, m *loci.Memory, text []loci.Piece) memoryRow {
	since, until := m.NotTrue(s.now())
	limited := ""
	if m.Scope == loci.ScopeAgent || !slices.Contains(m.AllowedVendors, loci.AnyVendor) {
		limited = readers(m, "its agent")
	}
	return memoryRow{m, text, since, until, limited, sharedWith(p, m), ""}
}

// sharedWith tells which other people may read a memory. An import may have brought it without its project.
func sharedWith(p loci.Principal, m *loci.Memory) string {
	if m.Scope == loci.ScopeProject && !slices.Contains(p.ProjectIDs, m.ProjectID) {
		return m.SharedWith("a project that is not here, or that you do not belong to")
	}
	return m.SharedWith("the project")
}

// readers tells which assistants may read a memory. agent is what to call the agent of a memory that has one.
func readers(m *loci.Memory, agent string) string {
	everyone, inAgent := slices.Contains(m.AllowedVendors, loci.AnyVendor), m.Scope == loci.ScopeAgent
	switch {
	case everyone && inAgent:
		return "only sessions of " + agent + ", and you"
	case everyone:
		return "all your assistants"
	case len(m.AllowedVendors) == 0:
		return "no assistant, only people"
	}
	vendors := make([]string, len(m.AllowedVendors))
	for i, v := range m.AllowedVendors {
		vendors[i] = string(v)
	}
	text := strings.Join(vendors, ", ")
	if inAgent {
		text += ", only in sessions of " + agent
	}
	return text
}

// memories shows the person's memories.
func (s *server) memories(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	d := memoryList{Query: strings.TrimSpace(r.Form.Get("q")), MCP: s.site.Resource(r), Trash: r.URL.Path == trashPath}
	var next string
	var err error
	if d.Trash || d.Query == "" {
		next, err = s.newest(r, p, &d)
	} else {
		next, err = s.search(r, p, &d)
	}
	status, problem := http.StatusOK, ""
	if loci.CodeOf(err) == loci.Invalid { // the query or the cursor
		status, problem = s.problem(w, r, err)
	} else if err != nil {
		return err
	}
	if next != "" {
		d.Next = address(r.URL.Path, "q", d.Query, "cursor", next)
	}
	if err := s.nameOwners(r, p, d.Rows); err != nil {
		return err
	}
	pending, err := s.app.Memory.Suggestions(r.Context(), p,
		memory.SuggestionsRequest{State: loci.SuggestionPending, Limit: 1})
	if err != nil {
		return err
	}
	d.Pending = len(pending.Items) > 0
	v := view{Title: "Memories", Here: homePath, Error: problem, Done: doneOf(r), Data: d}
	if d.Trash {
		v.Title = "Trash"
	}
	return s.showOwn(w, r, p, status, "memories", v)
}

// nameOwners names the owners of memories that others share with the person.
func (s *server) nameOwners(r *http.Request, p loci.Principal, rows []memoryRow) error {
	var ids []loci.MemoryID
	for _, row := range rows {
		if row.UserID != p.UserID {
			ids = append(ids, row.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	owners, err := s.app.Memory.Owners(r.Context(), p, ids)
	for i := range rows {
		rows[i].Owner = owners[rows[i].ID]
	}
	return err
}

func (s *server) newest(r *http.Request, p loci.Principal, d *memoryList) (next string, err error) {
	q := memory.ListRequest{Limit: pageSize, Cursor: r.Form.Get("cursor")}
	if d.Trash {
		q.Lifecycle = loci.TrashOnly
	}
	found, err := s.app.Memory.List(r.Context(), p, q)
	for _, m := range found.Items {
		d.Rows = append(d.Rows, s.row(p, m, []loci.Piece{{Text: beginning(m.Content)}}))
	}
	return found.NextCursor, err
}

func (s *server) search(r *http.Request, p loci.Principal, d *memoryList) (next string, err error) {
	found, err := s.app.Memory.Search(r.Context(), p,
		memory.SearchRequest{Query: d.Query, Limit: pageSize, Cursor: r.Form.Get("cursor")})
	if err != nil {
		return "", err
	}
	for _, h := range found.Items {
		d.Rows = append(d.Rows, s.row(p, h.Memory, h.Snippet.Pieces()))
	}
	if len(found.Items) > 0 {
		d.Near = found.Items[0].Why.FallbackNote()
	}
	d.Partial = found.StoppedBy != memory.StoppedByNothing
	return found.NextCursor, nil
}

// maxBeginning is how many characters of a memory the list shows.
const maxBeginning = 240

// memoryPage is one memory in full.
type memoryPage struct {
	*loci.Memory
	Readers  string // the assistants that may read it
	Mine     bool   // the person may decide about it
	Owner    string // "": the person
	Project  string // its name, or its id if it is gone; "": none
	Shared   string // the other people who may read it; "": none
	Attached string // such as "1 file, 2 sources"; "": nothing
}

func (s *server) memory(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	id, err := loci.ParseMemoryID(r.PathValue("id"))
	if err != nil {
		return loci.NoSuchMemory() // as for an id that does not exist
	}
	m, err := s.app.Memory.Get(r.Context(), p, id)
	if _, replaced := errors.AsType[*memory.ReplacedError](err); replaced { // the page links the new one
		m, err = s.app.Memory.GetAt(r.Context(), p, id, loci.When{Superseded: true})
	}
	if err != nil {
		return err
	}
	attached, err := s.app.Memory.Attached(r.Context(), p, id)
	if err != nil {
		return err
	}
	d := memoryPage{Memory: m, Mine: m.UserID == p.UserID, Shared: sharedWith(p, m), Attached: attached.String()}
	if !d.Mine {
		owners, err := s.app.Memory.Owners(r.Context(), p, []loci.MemoryID{m.ID})
		if err != nil {
			return err
		}
		d.Owner = owners[m.ID]
	}
	if !m.ProjectID.IsZero() {
		d.Project = m.ProjectID.String()
		if x, err := s.app.Project.Get(r.Context(), p, m.ProjectID); err == nil {
			d.Project = x.Name
		}
	}
	agent := ""
	if m.Scope == loci.ScopeAgent {
		agent = m.AgentID.String()
		if a, err := s.app.Agent.Get(r.Context(), p, agent); err == nil {
			agent = a.Name
		}
	}
	d.Readers = readers(m, "the agent "+agent)
	return s.showOwn(w, r, p, http.StatusOK, "memory",
		view{Title: loci.Legible(m.Title), Here: homePath, Done: doneOf(r), Data: d})
}

// trash moves a memory to the trash. If the org requires a fresh proof for that, the page asks for
// it.
func (s *server) trash(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	id, err := loci.ParseMemoryID(r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	m, err := s.app.Memory.Trash(r.Context(), p, id, 0)
	if err == nil && len(m.StillSuperseded) > 0 {
		return done(w, r, memoryPath+m.ID.String(), "trashed-replacing", nil)
	}
	return done(w, r, memoryPath+id.String(), "trashed", err)
}

// restore takes a memory out of the trash, as trash moves it there.
func (s *server) restore(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	id, err := loci.ParseMemoryID(r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	_, err = s.app.Memory.Restore(r.Context(), p, id, 0)
	return done(w, r, memoryPath+id.String(), "restored", err)
}
