package rest

import (
	"encoding/json"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// The examples about what memories were before.
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
			Reason: "updated by dashboard at 2026-11-20T16:30:00Z, which is not part of what is to be undone (version 5)"}},
		Redo: &loci.UndoSelection{Origin: "dashboard", Since: exampleTime.Add(3 * time.Hour), Until: exampleTime.Add(3*time.Hour + time.Second)}}
)
