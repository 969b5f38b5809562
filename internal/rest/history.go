package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/memory"
)

var historyRoutes = table{"history", []served{
	serve("GET /memories/{id}/diff", route{ID: "diffVersions", Who: forPeople, Action: memory.History,
		Missing: noVersion,
		Summary: "Compare two versions of a memory",
		Text: "Returns changed attributes with their old and new value, and changed texts by line and word. By " +
			"default compares the current version with the one before. 404 if a version does not exist.",
		Out: exampleDiff}, (*server).diff),
	serve("POST /memories/{id}/revert", route{ID: "revertMemory", Who: forPeople, Action: memory.Revert,
		Missing: noVersion, Conditional: true, Atomic: true,
		Summary: "Revert to an old version",
		Text: "Loci saves the old content as a new version and loses nothing. Sharing stays as it is. 403 if " +
			"the memory would expire earlier and you may not delete. 409 if its project is archived.",
		In: exampleRevert, Out: exampleReverted}, (*server).revert),
	serve("POST /undo", route{ID: "undo", Who: forPeople, Action: memory.Undo, More: []gate.Action{memory.UndoPlan},
		Limit: computing, Atomic: true,
		Summary: "Undo the changes of a writer",
		Text: "Restores each of your memories that an origin, key or session changed in that time, as a new " +
			"version. New memories go to the trash. Loci skips memories that were changed since, and reports " +
			"the reason. 409 for more than 10,000 memories. Needs step-up, unless dry_run is true.",
		In: exampleUndo, Out: exampleUndone}, (*server).undo),
}}

// noVersion is the noun for routes that also need a version. The error does not tell which of the two is missing.
const noVersion missing = "memory or version"

type versionsInput struct {
	PathID
	Limit  int    `query:"limit" minimum:"1" maximum:"500" doc:"Default: 100"`
	Cursor string `query:"cursor" maxLength:"20" doc:"next_cursor of the page before"`
}

const defaultVersions = 100

func (s *server) versions(ctx context.Context, p loci.Principal, in *versionsInput) (*answer[client.History], error) {
	before := 0
	var err error
	if in.Cursor != "" {
		if before, err = strconv.Atoi(in.Cursor); err != nil || before < 1 {
			return nil, loci.FieldErrorf("cursor", "is not a cursor of this list; omit it to get the newest versions")
		}
	}
	in.Limit = cmp.Or(in.Limit, defaultVersions)
	versions, current, err := s.app.Memory.Versions(ctx, p, in.parse(), before, in.Limit)
	if err != nil {
		return nil, err
	}
	out := client.History{Versions: make([]client.Version, len(versions)), CurrentVersion: current.Version}
	for i, v := range versions {
		out.Versions[i] = versionShown(v)
	}
	if n := len(versions); n == in.Limit && versions[n-1].Version > 1 {
		out.HasMore, out.NextCursor = true, strconv.Itoa(versions[n-1].Version)
	}
	return say(out, nil)
}

func versionShown(v *loci.Version) client.Version {
	return client.Version{Version: *v, ID: loci.VersionOf(v.ID, v.Memory.Version), MemoryID: v.ID,
		Number: v.Memory.Version}
}

type diffInput struct {
	PathID
	From int `query:"from" minimum:"1" doc:"The older version; default: the one before to"`
	To   int `query:"to" minimum:"1" doc:"The newer version; default: the current one"`
}

func (s *server) diff(ctx context.Context, p loci.Principal, in *diffInput) (*answer[*loci.Diff], error) {
	return say(s.app.Memory.Diff(ctx, p, in.parse(), in.From, in.To))
}

type revertInput struct {
	Target
	Body client.RevertRequest
}

func (s *server) revert(ctx context.Context, p loci.Principal, in *revertInput) (*memoryOutput, error) {
	id, version, err := in.parse()
	if err != nil {
		return nil, err
	}
	return oneMemory(s.app.Memory.Revert(ctx, p, id, version, in.Body.Version))
}

type undoInput struct{ Body client.UndoRequest }

func (in *undoInput) reads() bool { return in.Body.DryRun }

func (s *server) undo(ctx context.Context, p loci.Principal, in *undoInput) (*answer[*loci.UndoReport], error) {
	return say(s.app.Memory.Undo(ctx, p, in.Body.UndoSelection, in.Body.DryRun))
}

var (
	exampleDiff = loci.Diff{MemoryID: exampleID,
		From:   loci.DiffSide{Version: 1, At: exampleTime, Change: loci.Created, Editor: "claude"},
		To:     loci.DiffSide{Version: 2, At: exampleTime.Add(time.Hour), Change: loci.Updated, Editor: "cursor"},
		Fields: []loci.FieldChange{{Field: "importance", Old: json.RawMessage("5"), New: json.RawMessage("8")}},
		Texts: []loci.TextChange{{Field: "content", Hunks: loci.DiffText("We deploy on Tuesdays, never on Fridays.",
			"We deploy on Mondays, never on Fridays.")}}}
	exampleRevert   = client.RevertRequest{Version: 1}
	exampleReverted = func() *loci.Memory {
		m := exampleMemory.Clone()
		m.State = loci.State{Version: 3, Change: loci.Updated, Editor: "dashboard", EditorID: exampleUser}
		m.UpdatedAt = exampleTime.Add(2 * time.Hour)
		return m
	}()
	exampleRange  = loci.UndoSelection{Origin: "cursor", Since: exampleTime, Until: exampleTime.Add(2 * time.Hour)}
	exampleUndo   = client.UndoRequest{UndoSelection: exampleRange}
	exampleUndone = loci.UndoReport{Selection: exampleRange,
		Undone: []loci.Undone{{ID: exampleID, Title: "Deploys", Change: loci.Updated, From: 2, BackTo: 1, Version: 3}},
		LeftAlone: []loci.LeftAlone{{ID: loci.MemoryID(exampleUser), Title: "Deploys of the website", Version: 5,
			Reason: "updated by dashboard at 2026-11-20T16:30:00Z (version 5), which this undo does not include"}},
		Redo: &loci.UndoSelection{Origin: "dashboard", Since: exampleTime.Add(3 * time.Hour),
			Until: exampleTime.Add(3*time.Hour + time.Second)}}
)
