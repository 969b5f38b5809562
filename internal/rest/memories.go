package rest

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

var memoryRoutes = table{"memories", []served{
	serve("POST /memories", route{ID: "createMemory", Atomic: true, Who: forPeople, Action: memory.Create,
		Status: http.StatusCreated, Again: true,
		Summary: "Save a memory",
		Text: "Stores exactly what you send. Loci takes the origin from the credential. If a memory with that " +
			"key, scope and context exists, Loci updates it, keeps the old version and answers 200.",
		In: exampleNew, Out: exampleSaved}, (*server).create),
	serve("GET /memories/{id}", route{ID: "getMemory", Who: forPeople, Action: memory.Read, Conditional: true,
		Summary: "Get a memory",
		Text:    "Also finds memories in the trash, which have deleted_at.",
		Out:     exampleMemory}, (*server).get),
	serve("PUT /memories/{id}", route{ID: "replaceMemory", Who: forPeople, Action: memory.Change,
		Conditional: true,
		Summary:     "Replace the text of a memory",
		Text:        "Optional fields that you leave out stay. Loci keeps the old version.",
		In:          exampleReplacement, Out: exampleChanged}, (*server).replace),
	serve("PATCH /memories/{id}", route{ID: "editMemory", Who: forPeople, Action: memory.Change, Conditional: true,
		Summary: "Change fields of a memory",
		Text: "Takes a JSON merge patch: fields that you leave out stay, null clears a field. Loci keeps the " +
			"old version. 409 if another scope or project has a memory with the same key already.",
		In: exampleEdit, Out: exampleChanged}, (*server).edit),
	serve("DELETE /memories/{id}", route{ID: "trashMemory", Who: forPeople, Action: memory.Trash,
		More: []gate.Action{memory.Erase}, Conditional: true,
		Summary: "Move a memory to the trash",
		Text: "You can restore it for " + trashDays + " days. With permanent=true, Loci deletes it permanently with " +
			"all its versions. Needs step-up unless the org deletes by key. 409 if it is already in the trash.",
		Out: &loci.TrashedMemory{Memory: *exampleMemory}, Further: erasedToo}, (*server).trash),
	serve("DELETE /memories", route{ID: "trashMemories", Who: forPeople, Action: memory.Trash,
		Missing: noMemory, Limit: expensive,
		Summary: "Move several memories to the trash",
		Text:    "All of them or, if one does not exist, none.",
		In:      exampleBulk, Out: exampleBulkTrashed}, (*server).trashMany),
	serve("DELETE /memories/trash", route{ID: "emptyTrash", Who: forPeople, Action: memory.Erase, Limit: expensive,
		Summary: "Empty the trash",
		Text: "Deletes every memory in your trash permanently, with all versions. Needs step-up unless the org " +
			"deletes by key.",
		Out: client.Emptied{Deleted: 3}}, (*server).emptyTrash),
	serve("DELETE /memories/{id}/permanent", route{ID: "eraseMemory", Who: forPeople, Action: memory.Erase,
		Conditional: true,
		Summary:     "Delete a memory permanently",
		Text:        "With all its versions, also from the trash. Needs step-up unless the org deletes by key."},
		(*server).erase),
	serve("POST /memories/{id}/restore", route{ID: "restoreMemory", Atomic: true, Who: forPeople,
		Action: memory.Restore, Conditional: true,
		Summary: "Restore a memory from the trash",
		Text:    "404 if it is not in the trash.",
		Out:     exampleMemory}, (*server).restore),
	serve("GET /memories/{id}/versions", route{ID: "listVersions", Who: forPeople, Action: memory.History,
		Summary: "List the old versions of a memory",
		Text:    "Newest first, without the current version.",
		Out:     exampleHistory}, (*server).versions),
	serve("POST /memories/{id}/share", route{ID: "shareMemory", Atomic: true, Who: forPeople, Action: memory.Share,
		Summary: "Share a memory with your team",
		Text: "Adds it to the pool of your team. It stays yours, and the vendors that may read it stay the " +
			"same. 409 if you are not in a team.",
		Out: exampleMemory}, (*server).share),
	serve("POST /memories/{id}/unshare", route{ID: "unshareMemory", Atomic: true, Who: forPeople,
		Action:  memory.Share,
		Summary: "Stop sharing a memory with your team",
		Text:    "Only the person who shared it can do this.",
		Out:     exampleMemory}, (*server).unshare),
}}

var agentMemoryRoutes = table{"agent", []served{
	serve("POST /agent/memories", route{ID: "agentCreateMemory", Atomic: true, Who: forAny, Action: memory.Create,
		Status: http.StatusCreated, Again: true,
		Summary: "Save a memory as an agent",
		Text: "Stores exactly what you send. The origin is the vendor of the key. By default every vendor may " +
			"read it. If this vendor already wrote a memory with that key, Loci updates it and answers 200.",
		In: exampleNew, Out: exampleSaved}, (*server).create),
	serve("GET /agent/memories/{id}", route{ID: "agentGetMemory", Who: forAny, Action: memory.Read,
		Conditional: true,
		Summary:     "Get a memory as an agent",
		Text:        "404 if the memory does not exist or the vendor of the key may not read it.",
		Out:         exampleMemory}, (*server).get),
	serve("PUT /agent/memories/{id}", route{ID: "agentReplaceMemory", Who: forAny, Action: memory.Change,
		Conditional: true,
		Summary:     "Replace a memory as an agent",
		Text: "Only memories that this vendor wrote. Otherwise as PUT /memories/{id}; an agent cannot let more " +
			"vendors read the memory. To replace what another vendor wrote, save a memory with its id in supersedes.",
		In: exampleReplacement, Out: exampleChanged}, (*server).replace),
	serve("PATCH /agent/memories/{id}", route{ID: "agentEditMemory", Who: forAny, Action: memory.Change,
		Conditional: true,
		Summary:     "Change fields of a memory as an agent",
		Text: "Only memories that this vendor wrote. Otherwise as PATCH /memories/{id}; an agent cannot let more " +
			"vendors read the memory.",
		In: exampleEdit, Out: exampleChanged}, (*server).edit),
	serve("DELETE /agent/memories/{id}", route{ID: "agentTrashMemory", Who: forAny, Action: memory.Trash,
		Conditional: true,
		Summary:     "Move a memory to the trash as an agent",
		Text:        "Only memories that this vendor wrote, and only if the org deletes by key.",
		Out:         exampleDeleted}, (*server).agentTrash),
	serve("GET /agent/memories/{id}/versions", route{ID: "agentListVersions", Who: forAny, Action: memory.History,
		Summary: "List the old versions of a memory as an agent",
		Text:    "Newest first, without the current version. Only versions that the vendor of the key may read.",
		Out:     exampleHistory}, (*server).versions),
	serve("POST /agent/team/share", route{ID: "agentShareMemory", Atomic: true, Who: forAny, Action: memory.Share,
		Missing: noMemory,
		Summary: "Share a memory with the team as an agent",
		Text: "Adds it to the pool of the person's team. An agent may share what its own vendor wrote. 409 if the " +
			"person is not in a team.",
		In: client.ShareRequest{MemoryID: exampleID}, Out: exampleShared}, (*server).agentShare),
}}

// PathID is the id in a path, as text: a malformed id gets the same answer as an
// unknown one. It is exported because huma skips embedded structs that are not.
type PathID struct {
	ID string `path:"id" doc:"Id of the memory, or its beginning" example:"6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e"`
}

// parse never fails. A malformed id becomes an id of nothing, so that a caller who
// may not do this learns that first, as for every other id.
func (m PathID) parse() loci.MemoryID { return idOf[loci.MemoryID](m.ID) }

func (m *PathID) fill(_ *exchange, r *http.Request) bool {
	m.ID = r.PathValue("id")
	return true
}

// Target is the memory to change.
type Target struct {
	PathID
	IfMatch string `header:"If-Match" maxLength:"100" doc:"The version that you saw; default or *: any" example:"\"1\""`
}

func (t Target) parse() (id loci.MemoryID, version int, err error) {
	version, err = ifVersion(t.IfMatch)
	return t.PathID.parse(), version, err
}

// memoryOutput is one memory with its version as entity tag.
type memoryOutput struct {
	Status   int
	ETag     string `header:"ETag" doc:"The version, for If-Match and If-None-Match"`
	Location string `header:"Location" hidden:"true"`
	Body     *loci.Memory
}

func (o *memoryOutput) head(h http.Header) (status int, body any) {
	if o.ETag != "" {
		h["Etag"] = []string{o.ETag}
	}
	if o.Location != "" {
		h["Location"] = []string{o.Location}
	}
	return o.Status, o.Body
}

func oneMemory(m *loci.Memory, err error) (*memoryOutput, error) {
	if err != nil {
		return nil, err
	}
	return &memoryOutput{Status: http.StatusOK, ETag: etag(m), Body: m}, nil
}

type createInput struct {
	Body    client.NewMemory
	RawBody []byte
}

func (s *server) create(ctx context.Context, p loci.Principal, in *createInput) (*savedOutput, error) {
	if err := nullVendors(in.Body.AllowedVendors, in.RawBody); err != nil {
		return nil, err
	}
	p, err := s.auth.InSession(ctx, p, in.Body.SessionID)
	if err != nil {
		return nil, err
	}
	d, err := newDraft(&in.Body)
	if err != nil {
		return nil, err
	}
	m, err := s.app.Memory.Create(ctx, p, d)
	if err != nil {
		return nil, err
	}
	out := &savedOutput{Status: http.StatusOK, ETag: etag(&m.Memory), Body: m}
	if m.Created() {
		out.Status, out.Location = http.StatusCreated, exchangeOf(ctx).request.URL.Path+"/"+m.ID.String()
	}
	return out, nil
}

// newDraft parses a save. Some of its fields have two names.
func newDraft(m *client.NewMemory) (memory.Draft, error) {
	d := draft(&m.Attributes)
	d.Title, d.Content, d.Tags, d.AllowedVendors = m.Title, m.Content, m.Tags, m.AllowedVendors
	d.TTL, d.Dedupe = time.Duration(m.TTL)*time.Second, memory.Dedupe(m.Dedupe)
	d.Supersedes, d.Corrects = m.Supersedes, m.Corrects
	d.Share = m.ShareWithTeam || m.ShareScope != ""
	d.NotCompared = m.Similar != nil && !*m.Similar
	switch {
	case m.Content == "" && m.Value == "":
		return d, loci.FieldErrorf("content", "is required (value is another name for it)")
	case m.Content != "" && m.Value != "":
		return d, loci.FieldErrorf("value", "is another name for content; send one of them")
	case m.Value != "":
		d.Content = m.Value
	}
	if !m.ExpiresAtToo.IsZero() {
		if !m.ExpiresAt.IsZero() {
			return d, loci.FieldErrorf("expiresAt", "is another name for expires_at; send one of them")
		}
		d.ExpiresAt = m.ExpiresAtToo
	}
	for i := range m.Sources {
		d.Sources = append(d.Sources, m.Sources[i].Draft())
	}
	return d, nil
}

func draft(a *client.Attributes) memory.Draft {
	return memory.Draft{Summary: a.Summary, Key: a.Key, Category: a.Category, Source: a.Source, Type: a.Type,
		Importance: a.Importance, Pinned: a.Pinned, Scope: a.Scope, ProjectID: a.ProjectID, AgentID: a.AgentID,
		SessionID: a.SessionID, ExpiresAt: a.ExpiresAt, ValidFrom: a.ValidFrom, ValidTo: a.ValidTo}
}

type getInput struct {
	PathID
	client.When
	IfNoneMatch string `header:"If-None-Match" maxLength:"1000" doc:"Versions that you have; 304 if one matches"`
}

func (s *server) get(ctx context.Context, p loci.Principal, in *getInput) (*memoryOutput, error) {
	out, err := oneMemory(s.app.Memory.GetAt(ctx, p, in.parse(), whenOf(in.When)))
	return unlessKnown(out, in.IfNoneMatch), err
}

// unlessKnown answers 304 if the caller already has that version.
func unlessKnown(out *memoryOutput, header string) *memoryOutput {
	switch {
	case out == nil:
	case out.Body.Disputed(): // which comes and goes without a new version, so that the tag must not be known
		out.ETag = ""
	case header != "" && noneMatch(header, out.Body):
		out.Status = http.StatusNotModified
	}
	return out
}

type replaceInput struct {
	Target
	Body client.Replacement
}

func (s *server) replace(ctx context.Context, p loci.Principal, in *replaceInput) (*savedOutput, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	d := draft(&in.Body.Attributes)
	d.Title, d.Content, d.Tags, d.AllowedVendors = in.Body.Title, in.Body.Content, in.Body.Tags, in.Body.AllowedVendors
	return changedMemory(s.app.Memory.Replace(ctx, p, id, version, d))
}

type editInput struct {
	Target
	Body client.Edit `contentType:"application/json"`
}

func (s *server) edit(ctx context.Context, p loci.Principal, in *editInput) (*savedOutput, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	if err := checkEdit(&in.Body); err != nil {
		return nil, err
	}
	return changedMemory(s.app.Memory.Patch(ctx, p, id, version, in.Body))
}

// checkEdit rejects a merge patch that clears a field without a default.
func checkEdit(e *loci.Edit) error {
	return cmp.Or(mustStay("title", e.Title), mustStay("content", e.Content),
		mustStay("allowed_vendors", e.AllowedVendors))
}

func mustStay[T any](name string, c loci.Edited[T]) error {
	if c.Cleared() {
		return loci.FieldErrorf(name, "cannot be cleared; omit it to keep it, or send a new value")
	}
	return nil
}

type targetInput struct{ Target }

type trashInput struct {
	Target
	Permanent bool `query:"permanent" doc:"Delete it permanently, with all its versions"`
}

// trashedOutput is a memory in the trash. Body is nil for one that is deleted permanently.
type trashedOutput struct {
	Status int
	ETag   string `header:"ETag" doc:"The version, for If-Match and If-None-Match"`
	Body   *loci.TrashedMemory
}

func (s *server) trash(ctx context.Context, p loci.Principal, in *trashInput) (*trashedOutput, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	if in.Permanent {
		return &trashedOutput{Status: http.StatusNoContent}, s.app.Memory.Erase(ctx, p, id, version)
	}
	m, err := s.app.Memory.Trash(ctx, p, id, version)
	if err != nil {
		return nil, err
	}
	return &trashedOutput{http.StatusOK, etag(&m.Memory), m}, nil
}

func (s *server) erase(ctx context.Context, p loci.Principal, in *targetInput) (*nothing, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	return done(s.app.Memory.Erase(ctx, p, id, version))
}

func (s *server) emptyTrash(ctx context.Context, p loci.Principal, _ *noBody) (*answer[client.Emptied], error) {
	n, err := s.app.Memory.EmptyTrash(ctx, p)
	return say(client.Emptied{Deleted: n}, err)
}

// deletedOutput is a memory that an agent moved to the trash.
type deletedOutput struct {
	ETag string `header:"ETag" doc:"The version, for If-Match and If-None-Match"`
	Body client.DeletedMemory
}

// agentTrash never deletes permanently. Only people may.
func (s *server) agentTrash(ctx context.Context, p loci.Principal, in *targetInput) (*deletedOutput, error) {
	out, err := s.trash(ctx, p, &trashInput{Target: in.Target})
	if err != nil {
		return nil, err
	}
	m := out.Body
	return &deletedOutput{out.ETag, client.DeletedMemory{Deleted: true, ID: m.ID, Title: m.Title, Version: m.Version,
		DeletedAt: m.DeletedAt, StillSuperseded: m.StillSuperseded}}, nil
}

func (s *server) agentShare(ctx context.Context, p loci.Principal, in *body[client.ShareRequest]) (
	*answer[client.Shared], error) {
	m, err := s.app.Memory.Share(ctx, p, in.Body.MemoryID)
	if err != nil {
		return nil, err
	}
	return say(client.Shared{Shared: true, MemoryID: m.ID, TeamID: m.TeamID}, nil)
}

func (s *server) trashMany(ctx context.Context, p loci.Principal,
	in *body[client.BulkTrash]) (*answer[client.BulkTrashed], error) {
	trashed, err := s.app.Memory.TrashMany(ctx, p, distinct(in.Body.IDs))
	out := client.BulkTrashed{Trashed: make([]client.Trashed, len(trashed)), Count: len(trashed)}
	for i, t := range trashed {
		out.Trashed[i] = client.Trashed{ID: t.ID, Version: t.Version, DeletedAt: t.DeletedAt,
			StillSuperseded: t.StillSuperseded}
	}
	return say(out, err)
}

func (s *server) share(ctx context.Context, p loci.Principal, in *PathID) (*memoryOutput, error) {
	return oneMemory(s.app.Memory.Share(ctx, p, in.parse()))
}

func (s *server) unshare(ctx context.Context, p loci.Principal, in *PathID) (*memoryOutput, error) {
	return oneMemory(s.app.Memory.Unshare(ctx, p, in.parse()))
}

type poolInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"100" doc:"Default: 20"`
	Offset int    `query:"offset" minimum:"0" maximum:"10000"`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the page before"`
	client.When
}

func (s *server) pool(ctx context.Context, p loci.Principal, in *poolInput) (*answer[client.MemoryPage], error) {
	return sayAs(memoryPage)(s.pooled(ctx, p, in, false))
}

// agentPool is pool in the form that older clients read, with the total.
func (s *server) agentPool(ctx context.Context, p loci.Principal, in *poolInput) (*answer[client.TeamPage], error) {
	return sayAs(func(got *found) client.TeamPage {
		return client.TeamPage{Memories: got.memories, Page: got.page}
	})(s.pooled(ctx, p, in, true))
}

func (s *server) pooled(ctx context.Context, p loci.Principal, in *poolInput, total bool) (*found, error) {
	a := ask{limit: cmp.Or(in.Limit, defaultByTag), offset: in.Offset, cursor: in.Cursor}
	got, err := s.app.Memory.TeamMemories(ctx, p, memory.ListRequest{Filter: memory.Filter{When: whenOf(in.When)},
		Limit: a.limit, Offset: a.offset, Cursor: a.cursor, Total: total})
	out := &found{memories: loci.OrEmpty(got.Items), page: pageOf(a, got.NextCursor)}
	if total {
		out.page.Total, out.page.TotalIsLowerBound = &got.Total, got.TotalIsLowerBound
	}
	return out, err
}

func (s *server) restore(ctx context.Context, p loci.Principal, in *targetInput) (*memoryOutput, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	return oneMemory(s.app.Memory.Restore(ctx, p, id, version))
}

var (
	exampleNew = client.NewMemory{Title: "Deploys", Content: "We deploy on Tuesdays, never on Fridays.",
		Tags: []string{"ops"}, AllowedVendors: []loci.Vendor{"claude",
			"cursor"}, Attributes: client.Attributes{Key: "deploy.day"},
		Sources: []client.NewSource{{Kind: loci.SourceURL, Ref: "https://wiki.example.org/deploys",
			Quote: "never on Fridays"}}}
	exampleSaved = &loci.Saved{Memory: *exampleKeyed(), SaveNotes: loci.SaveNotes{ReplacedVersion: 1,
		Similar: []loci.Similar{{ID: otherID, Title: "Deploys of the website", Score: 0.8, Relation: loci.Contradiction}}}}
	exampleChanged     = &loci.Saved{Memory: *exampleKeyed()}
	exampleReplacement = client.Replacement{Title: "Deploys", Content: "We deploy on Tuesdays and Thursdays.",
		Tags: []string{"ops"}, AllowedVendors: []loci.Vendor{loci.AnyVendor}}
	exampleEdit = client.Edit{Content: client.Set("We deploy on Tuesdays and Thursdays."),
		Summary: client.Clear[string]()}
	exampleHistory = client.History{CurrentVersion: 2, Versions: []client.Version{versionShown(&loci.Version{
		Memory: *exampleMemory, ReplacedAt: exampleTime.Add(time.Hour)})}}
	exampleDeleted = client.DeletedMemory{
		Deleted:   true,
		ID:        exampleID,
		Title:     "Deploys",
		Version:   2,
		DeletedAt: exampleTime,
	}
	exampleShared      = client.Shared{Shared: true, MemoryID: exampleID, TeamID: loci.TeamID(exampleUser)}
	exampleBulk        = client.BulkTrash{IDs: []loci.MemoryID{exampleID}}
	exampleBulkTrashed = client.BulkTrashed{Trashed: []client.Trashed{{ID: exampleID, Version: 2,
		DeletedAt: exampleTime}}, Count: 1}
)
