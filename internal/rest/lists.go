package rest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

var listRoutes = table{"memories", []served{
	serve("POST /memories/list", route{ID: "listMemories", Reads: true, Who: forPeople, Action: memory.Read,
		More:    trashedToo,
		Summary: "List memories by filter",
		Text: "Newest first, or best match first for a search. Without a filter, all memories. `trashed` lists " +
			"the trash, and with `term` searches it.",
		In: exampleList, Out: examplePage}, (*server).list),
	serve("GET /memories", route{ID: "listMemoriesByQuery", Who: forPeople, Action: memory.Read, More: trashedToo,
		Summary: "List memories by query parameters",
		Text:    "The same as POST /memories/list, for browsers and scripts.",
		Out:     examplePage}, (*server).listByQuery),
	serve("GET /memories/facets", route{ID: "countMemories", Who: forPeople, Action: memory.Read, More: trashedToo,
		Summary: "Count memories by their values",
		Text: "How many memories pass the conditions, and how many of them have each origin, allowed vendor, tag, " +
			"category, type, scope, project and pin. With Loci-View-As, of those that the vendor sees.",
		Out: exampleFacets}, (*server).facets),
	serve("GET /memories/{id}/readers", route{ID: "listMemoryReaders", Who: forPeople, Action: memory.History,
		Summary: "Explain who reads a memory",
		Text:    "For each vendor, whether its assistants get the memory, and which part of the rule hides it if not.",
		Out:     exampleReaders}, (*server).readers),
	serve("GET /memories/{id}/replaced", route{ID: "listReplacedMemories", Who: forPeople, Action: memory.History,
		Summary: "List the memories that a memory replaced",
		Text:    "Oldest first, without those in the trash and expired ones.",
		Out:     client.ReplacedMemories{Memories: []*loci.Memory{}}}, (*server).replaced),
	serve("GET /memories/team", route{ID: "listTeamMemories", Who: forPeople, Action: memory.PoolRead,
		Summary: "List the memories of your team",
		Text:    "Newest first. 409 if you are not in a team.",
		Out:     examplePage}, (*server).pool),
}}

var agentListRoutes = table{"agent", []served{
	serve("GET /agent/memories/latest", route{ID: "agentLatestMemory", Who: forAny, Action: memory.Read,
		Missing: noMemory,
		Summary: "Get the newest memory",
		Text:    "Optionally with a tag or an origin. 404 if there is none.",
		Out:     exampleMemory}, (*server).latest),
	serve("GET /agent/memories/team", route{ID: "agentTeamMemories", Who: forAny, Action: memory.PoolRead,
		Summary: "List the memories of the team as an agent",
		Text: "Newest first. Only memories that the vendor of the key may read. 409 if the person is not in a " +
			"team.",
		Out: examplePage}, (*server).pool),
	serve("GET /agent/team/memories", route{ID: "agentTeamPool", Who: forAny, Action: memory.PoolRead,
		Summary: "List the pool of the team as an agent",
		Text:    "The same as GET /agent/memories/team, with the total, under team_memories.",
		Out:     client.TeamPage{Memories: []*loci.Memory{exampleMemory}, Page: examplePosition}}, (*server).agentPool),
	serve("POST /agent/memories/by-tag", route{ID: "agentMemoriesByTag", Reads: true, Who: forAny,
		Action:  memory.Read,
		Summary: "List memories by tag",
		Text: "Full memories with any of the tags, newest first. With \"tag_mode\": \"all\", memories with every " +
			"tag.",
		In: client.ByTagRequest{Tags: []string{"ops"}}, Out: examplePage}, (*server).byTag),
	serve("POST /agent/memories/browse", route{ID: "agentBrowseMemories", Reads: true, Who: forAny,
		Action:  memory.Read,
		Summary: "List summaries of memories",
		Text:    "Without content; get the memories you need by id. Without a filter, all memories.",
		In:      client.BrowseRequest{Limit: 50}, Out: exampleSummaries}, (*server).browse),
	serve("POST /agent/memories/search", route{ID: "agentSearchMemories", Reads: true, Who: forAny,
		Action:  memory.Read,
		Summary: "Search memories",
		Text: "Full memories, best match first. Takes words, \"phrases\" and prefix*. The more words match, the " +
			"better.",
		In: client.SearchRequest{Term: "deploy day"}, Out: exampleFound}, (*server).search),
	serve("POST /agent/memories/list", route{ID: "agentListMemories", Reads: true, Who: forAny,
		Action:  memory.Read,
		Summary: "List the newest memories",
		Text:    "Full memories, newest first.",
		In:      client.NewestRequest{Limit: 10}, Out: exampleNewest}, (*server).newest),
}}

// trashedToo are the further actions of a list that can be of the trash.
var trashedToo = []gate.Action{memory.ReadTrash}

// lifecycles are of the memories that lists by these kinds have; of all other kinds: loci.LiveOnly.
var lifecycles = map[client.By]loci.Lifecycle{client.ByTrashed: loci.TrashOnly, client.ByExpired: loci.ExpiredOnly}

// Ended are the query parameters that ask for what is no longer live. Its name is public for the reason of AgentPath.
type Ended struct {
	Trashed bool `query:"trashed" doc:"The trash, instead of live memories"`
	Expired bool `query:"expired" doc:"What has expired, instead of live memories"`
}

// by returns the kind of such a list; "": of live memories.
func (w Ended) by() (client.By, error) {
	switch {
	case w.Trashed && w.Expired:
		return "", loci.FieldErrorf("expired", "cannot be combined with trashed; leave one of them out")
	case w.Trashed:
		return client.ByTrashed, nil
	case w.Expired:
		return client.ByExpired, nil
	}
	return "", nil
}

// ask is a list or a search, in the common form of all routes in this file.
type ask struct {
	filter client.Filter
	name   string // path of the filter in the request, for errors: "filter", "" …
	limit  int    // never 0
	offset int
	cursor string
	total  bool
	asked  client.Asked
}

// found is the answer to an ask.
type found struct {
	memories []*loci.Memory
	hits     []client.Hit // for searches only
	page     client.Page
	stopped  client.Stopped
}

// find runs the ask. Every list and search goes through it.
func (s *server) find(ctx context.Context, p loci.Principal, a ask) (*found, error) {
	by, err := kindOf(&a.filter, a.name)
	if err != nil {
		return nil, err
	}
	f := filterOf(&a.filter.Conditions)
	switch by {
	case client.ByIDs:
		return s.findIDs(ctx, p, a)
	case client.BySearch:
		return s.findText(ctx, p, a, f)
	case client.ByTrashed, client.ByExpired:
		if p.Kind == loci.KindAgent { // an agent's trash is always empty
			none := 0
			out := &found{memories: []*loci.Memory{}, page: pageOf(a, "")}
			out.page.Total = &none
			return out, nil
		}
		f.Lifecycle = lifecycles[by]
		if a.filter.Term != "" {
			return s.findText(ctx, p, a, f)
		}
	}
	page, err := s.app.Memory.List(ctx, p, memory.ListRequest{Filter: f, Limit: a.limit, Cursor: a.cursor,
		Offset: a.offset, Total: a.total})
	if err != nil {
		return nil, err
	}
	out := &found{memories: loci.OrEmpty(page.Items), page: pageOf(a, page.NextCursor)}
	if a.total {
		out.page.Total, out.page.TotalIsLowerBound = &page.Total, page.TotalIsLowerBound
	}
	return out, nil
}

func pageOf(a ask, next string) client.Page {
	return client.Page{Limit: a.limit, Offset: a.offset, More: moreAt(next)}
}

func (s *server) findText(ctx context.Context, p loci.Principal, a ask, f memory.Filter) (*found, error) {
	if err := loci.CheckText(path(a.name, "term"), a.filter.Term, 1, loci.MaxTerm); err != nil {
		return nil, err
	}
	a.limit = min(a.limit, memory.MaxSearch) // older clients send the limit of lists
	page, err := s.app.Memory.Search(ctx, p, memory.SearchRequest{Filter: f, Query: a.filter.Term, Limit: a.limit,
		Cursor: a.cursor, Offset: a.offset, AskedAt: a.asked.AskedAt, Explain: a.asked.Explain})
	if err != nil {
		return nil, err
	}
	out := &found{memories: make([]*loci.Memory, len(page.Items)), hits: make([]client.Hit, len(page.Items)),
		page: pageOf(a, page.NextCursor), stopped: client.Stopped{Partial: page.Partial(), StoppedBy: string(page.StoppedBy)}}
	for i, h := range page.Items {
		out.memories[i] = h.Memory
		out.hits[i] = client.Hit{ID: h.Memory.ID, Score: h.Score, Snippet: h.Snippet.String(), Why: h.Why,
			Disagreement: h.Memory.Disagreement}
	}
	out.page.Total, out.page.TotalIsLowerBound = &page.Total, page.TotalIsLowerBound
	return out, nil
}

func (s *server) findIDs(ctx context.Context, p loci.Principal, a ask) (*found, error) {
	if a.cursor != "" {
		n, err := strconv.Atoi(a.cursor)
		if err != nil || n < 1 || n > loci.MaxIDs {
			return nil, loci.FieldErrorf("cursor", "is not a cursor of this query; omit it to get the first page")
		}
		a.offset = n
	}
	memories, err := s.app.Memory.ByIDs(ctx, p, distinct(a.filter.IDs), whenOf(a.filter.When))
	if err != nil {
		return nil, err
	}
	total := len(memories)
	first, last := min(a.offset, total), min(a.offset+a.limit, total)
	next := ""
	if last < total {
		next = strconv.Itoa(last)
	}
	out := &found{memories: loci.OrEmpty(memories[first:last]), page: pageOf(a, next)}
	out.page.Total = &total
	return out, nil
}

// distinct drops repeats and keeps the order.
func distinct(ids []loci.MemoryID) []loci.MemoryID {
	seen := make(map[loci.MemoryID]bool, len(ids))
	return slices.DeleteFunc(ids, func(id loci.MemoryID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}

// kindOf returns the kind of a filter, or an error if its fields contradict each other.
func kindOf(f *client.Filter, name string) (client.By, error) {
	by := f.By
	if by == "" {
		switch {
		case f.IDs != nil:
			by = client.ByIDs
		case f.Term != "":
			by = client.BySearch
		default:
			by = client.ByAll
		}
	}
	if field := lacks(f, by); field != "" {
		return by, loci.FieldErrorf(path(name, field), "is required to list by %s", by)
	}
	if f.Term != "" && by != client.BySearch && lifecycles[by] == loci.LiveOnly {
		return by, loci.FieldErrorf(path(name, "term"), "requires \"by\": \"search\", \"trashed\" or \"expired\", not \"%s\"",
			by)
	}
	if f.IDs != nil && by != client.ByIDs {
		return by, loci.FieldErrorf(path(name, "ids"), "requires \"by\": \"ids\", not \"%s\"", by)
	}
	if by == client.ByIDs && !onlyIDs(f) {
		return by, loci.FieldErrorf(path(name, "ids"), "cannot be combined with other conditions")
	}
	return by, nil
}

// lacks returns the field that a filter of that kind needs and lacks, or "".
func lacks(f *client.Filter, by client.By) string {
	switch {
	case by == client.ByTags && len(f.Tags) == 0:
		return "tags"
	case by == client.ByIDs && len(f.IDs) == 0:
		return "ids"
	case by == client.BySearch && f.Term == "":
		return "term"
	case by == client.ByOrigin && f.Origin == "":
		return "origin"
	}
	return ""
}

func onlyIDs(f *client.Filter) bool {
	c := f.Conditions
	return len(c.Tags) == 0 && c.Origin == "" && c.Type == "" && c.Category == "" && c.ProjectID.IsZero() &&
		c.From.IsZero() && c.To.IsZero() && c.HiddenFrom == "" && c.Within == client.Within{}
}

func path(name, field string) string {
	if name == "" {
		return field
	}
	return name + "." + field
}

func filterOf(c *client.Conditions) memory.Filter {
	return memory.Filter{Tags: c.Tags, AllTags: c.TagMode == client.EveryTag, Origin: c.Origin, Type: c.Type,
		Category: c.Category, ProjectID: c.ProjectID, From: loci.CutTime(c.From), To: loci.CutTime(c.To),
		Key: c.Key, Scope: c.Scope, AgentID: c.AgentID, SessionID: c.WrittenIn, Pinned: c.Pinned,
		HiddenFrom: c.HiddenFrom, When: whenOf(c.When)}
}

// whenOf converts the point in time that a request asks about.
func whenOf(w client.When) loci.When {
	return loci.When{AsOf: loci.CutTime(w.AsOf), KnownAt: loci.CutTime(w.KnownAt), Superseded: w.Superseded}
}

// These are the page sizes for requests that leave the limit out.
const (
	defaultList   = 50
	defaultByTag  = 20
	defaultNewest = 10
	defaultSearch = 10
)

func (s *server) page(ctx context.Context, p loci.Principal, a ask) (*answer[client.MemoryPage], error) {
	return sayAs(memoryPage)(s.find(ctx, p, a))
}

func memoryPage(got *found) client.MemoryPage {
	return client.MemoryPage{Memories: got.memories, Hits: got.hits, Page: got.page, Stopped: got.stopped}
}

func (s *server) list(ctx context.Context, p loci.Principal, in *body[*client.ListRequest]) (
	*answer[client.MemoryPage], error) {
	r := orZero(in.Body)
	return s.page(ctx, p, ask{filter: r.Filter, name: "filter", limit: cmp.Or(r.Limit, defaultList),
		offset: r.Offset, cursor: r.Cursor, total: r.Total})
}

func orZero[T any](body *T) T {
	if body == nil {
		var zero T
		return zero
	}
	return *body
}

type listQueryInput struct {
	client.Conditions
	Ended
	Q      string   `query:"q" maxLength:"500" doc:"Words, \"phrases\", prefix*; best first"`
	IDs    []string `query:"ids,explode" maxItems:"500" doc:"Repeat it, or separate them by commas"`
	Limit  int      `query:"limit" minimum:"1" maximum:"500" doc:"Default: 50"`
	Offset int      `query:"offset" minimum:"0" maximum:"10000"`
	Cursor string   `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before, with the same parameters"`
	Total  bool     `query:"total" doc:"Also count, up to 1,000"`
}

func (s *server) listByQuery(ctx context.Context, p loci.Principal, in *listQueryInput) (
	*answer[client.MemoryPage], error) {
	by, err := in.by()
	if err != nil {
		return nil, err
	}
	f := client.Filter{By: by, Conditions: in.Conditions, Term: in.Q}
	if in.Q != "" && len(in.IDs) > 0 {
		return nil, loci.FieldErrorf("q", "cannot be combined with ids")
	}
	if err := loci.CheckText("q", in.Q, 0, loci.MaxTerm); err != nil {
		return nil, err
	}
	if f.IDs, err = parseIDs(in.IDs); err != nil {
		return nil, err
	}
	return s.page(ctx, p, ask{filter: f, limit: cmp.Or(in.Limit, defaultList), offset: in.Offset, cursor: in.Cursor,
		total: in.Total})
}

func (s *server) readers(ctx context.Context, p loci.Principal, in *PathID) (*answer[loci.MemoryReaders], error) {
	return sayAs(value[loci.MemoryReaders])(s.app.Memory.Readers(ctx, p, in.parse()))
}

func (s *server) replaced(ctx context.Context, p loci.Principal, in *PathID) (*answer[client.ReplacedMemories], error) {
	list, err := s.app.Memory.ReplacedBy(ctx, p, in.parse())
	return say(client.ReplacedMemories{Memories: loci.OrEmpty(list)}, err)
}

func parseIDs(lists []string) ([]loci.MemoryID, error) {
	var ids []loci.MemoryID
	for _, list := range lists {
		for text := range strings.SplitSeq(list, ",") {
			if len(ids) == loci.MaxIDs {
				return nil, loci.FieldErrorf("ids", tooMany, loci.MaxIDs)
			}
			id, err := loci.ParseMemoryID(strings.TrimSpace(text))
			if err != nil {
				return nil, loci.FieldErrorf(fmt.Sprintf("ids[%d]", len(ids)), notUUID)
			}
			ids = append(ids, id)
		}
	}
	return ids, nil
}

type latestInput struct {
	Tag    string `query:"tag" maxLength:"100" doc:"Only memories with this tag"`
	Origin string `query:"origin" maxLength:"50" doc:"Only memories of this writer"`
	client.When
}

func (s *server) latest(ctx context.Context, p loci.Principal, in *latestInput) (*memoryOutput, error) {
	f := memory.Filter{Origin: in.Origin, When: whenOf(in.When)}
	if in.Tag != "" {
		if err := loci.CheckText("tag", in.Tag, 1, loci.MaxTag); err != nil {
			return nil, err
		}
		f.Tags = []string{in.Tag}
	}
	return oneMemory(s.app.Memory.Latest(ctx, p, f))
}

func (s *server) byTag(ctx context.Context, p loci.Principal, in *body[client.ByTagRequest]) (
	*answer[client.MemoryPage], error) {
	r := &in.Body
	conditions := client.Conditions{Tags: r.Tags, TagMode: r.TagMode, Within: r.Within, When: r.When}
	return s.page(ctx, p, ask{filter: client.Filter{Conditions: conditions}, limit: cmp.Or(r.Limit, defaultByTag),
		offset: r.Offset,
		cursor: r.Cursor, total: r.Total == nil || *r.Total})
}

func (s *server) browse(ctx context.Context, p loci.Principal, in *body[*client.BrowseRequest]) (
	*answer[client.SummaryPage], error) {
	r := orZero(in.Body)
	got, err := s.find(ctx, p, ask{filter: r.Filter, name: "filter", limit: cmp.Or(r.Limit, defaultList),
		offset: r.Offset, cursor: r.Cursor, total: r.Total == nil || *r.Total})
	if err != nil {
		return nil, err
	}
	return say(client.SummaryPage{Memories: memory.Titles(got.memories), Page: got.page}, nil)
}

func (s *server) search(ctx context.Context, p loci.Principal, in *body[client.SearchRequest]) (
	*answer[client.SearchPage], error) {
	r := &in.Body
	if (r.Term == "") == (r.Query == "") {
		return nil, loci.FieldErrorf("term", "is required; send it or query, which is another name for it")
	}
	term, name := r.Term, "term"
	if term == "" {
		term, name = r.Query, "query"
	}
	if err := loci.CheckText(name, term, 1, loci.MaxTerm); err != nil {
		return nil, err
	}
	got, err := s.find(ctx, p, ask{limit: cmp.Or(r.Limit, defaultSearch), offset: r.Offset, cursor: r.Cursor,
		asked: r.Asked, filter: client.Filter{By: client.BySearch, Term: term, Conditions: r.Conditions}})
	if err != nil {
		return nil, err
	}
	return say(client.SearchPage{Memories: got.memories, Hits: got.hits, Count: len(got.hits), Page: got.page,
		Stopped: got.stopped}, nil)
}

func (s *server) newest(ctx context.Context, p loci.Principal, in *body[*client.NewestRequest]) (
	*answer[client.CountedPage], error) {
	r := orZero(in.Body)
	return sayAs(func(got *found) client.CountedPage {
		return client.CountedPage{Memories: got.memories, Count: len(got.memories), More: got.page.More}
	})(s.find(ctx, p, ask{filter: client.Filter{Conditions: client.Conditions{When: r.When}},
		limit: cmp.Or(r.Limit, defaultNewest), cursor: r.Cursor}))
}

var (
	exampleList = client.ListRequest{Filter: client.Filter{By: client.ByTags,
		Conditions: client.Conditions{Tags: []string{"ops"}}}, Limit: 50}
	one             = 1
	examplePosition = client.Page{Limit: 50, Total: &one}
	examplePage     = client.MemoryPage{Memories: []*loci.Memory{exampleMemory}, Page: examplePosition}
	exampleFacets   = loci.Facets{Total: 12, Facets: map[loci.Facet][]loci.FacetCount{
		loci.FacetOrigin: {{Value: "claude", Count: 12}}}}
	exampleReaders = loci.MemoryReaders{MemoryID: exampleID, People: "the team", Vendors: []loci.VendorSees{
		{Vendor: "claude", Label: "Claude", Sees: true},
		{Vendor: "chatgpt", Label: "ChatGPT", HiddenBy: loci.HiddenByVendor}}}
	exampleSummaries = client.SummaryPage{
		Memories: []loci.MemorySummary{exampleMemory.Summarize()},
		Page:     examplePosition,
	}
	exampleFound = client.SearchPage{Memories: []*loci.Memory{exampleMemory}, Count: 1,
		Hits: []client.Hit{{ID: exampleID, Score: 2.7, Snippet: "We **deploy** on Tuesdays, never on Fridays.",
			Why: exampleWhy}},
		Page: client.Page{Limit: 10, Total: &one}}
	exampleNewest = client.CountedPage{Memories: []*loci.Memory{exampleMemory}, Count: 1}
)
