package memory

import "github.com/loci-memory/loci/internal/gate"

// These are the actions on memories.
const (
	Create           gate.Action = "memory.create"
	Read             gate.Action = "memory.read"
	Resolve          gate.Action = "memory.resolve"
	Change           gate.Action = "memory.change"
	Trash            gate.Action = "memory.trash"
	Restore          gate.Action = "memory.restore"
	Erase            gate.Action = "memory.erase"
	ReadTrash        gate.Action = "memory.read_trash"
	History          gate.Action = "memory.history"
	Share            gate.Action = "memory.share"
	PoolRead         gate.Action = "team.read_pool"
	Query            gate.Action = "query"
	Briefing         gate.Action = "briefing"
	Revert           gate.Action = "memory.revert"
	Undo             gate.Action = "undo"
	UndoPlan         gate.Action = "undo.plan" // the dry run of an undo
	ChangesRead      gate.Action = "changes.read"
	SuggestionRead   gate.Action = "suggestion.read"
	SuggestionSettle gate.Action = "suggestion.settle"
	AssetAdd         gate.Action = "asset.add"
	AssetRead        gate.Action = "asset.read"
	AssetDelete      gate.Action = "asset.delete"
	SourceAdd        gate.Action = "source.add"
	SourceRead       gate.Action = "source.read"
	SourceDelete     gate.Action = "source.delete"
)

// Actions defines who may take each of these actions.
var Actions = gate.Actions{
	Create: {Kinds: gate.Everyone, Rights: gate.Write, Metered: true, Audit: gate.WithChange},
	Read:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	// The use case that gets the id is metered and audited.
	Resolve: {Kinds: gate.Everyone, Rights: gate.Read, Audit: gate.NotAudited},
	Change:  {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	Trash:   {Kinds: gate.Everyone, Rights: gate.Both, Deletes: true, Recent: true, Metered: true, Audit: gate.WithChange},
	Restore: {Kinds: gate.People, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci restore ID"},
	Erase:     {Kinds: gate.People, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange},
	ReadTrash: {Kinds: gate.People, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	History:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	Share:     {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	PoolRead:  {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	Query:     {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	Briefing:  {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	// Returning to an old version can widen who reads it, so agents may do neither of these.
	Revert:           {Kinds: gate.People, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	Undo:             {Kinds: gate.People, Rights: gate.Both, StepUp: true, Metered: true, Audit: gate.WithChange},
	UndoPlan:         {Kinds: gate.People, Rights: gate.Both, Metered: true, Audit: gate.OfReads},
	ChangesRead:      {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	SuggestionRead:   {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	SuggestionSettle: {Kinds: gate.People, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	AssetAdd:         {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	AssetRead:        {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	AssetDelete: {Kinds: gate.Everyone, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci asset delete ID"},
	SourceAdd:  {Kinds: gate.Everyone, Rights: gate.Both, Metered: true, Audit: gate.WithChange},
	SourceRead: {Kinds: gate.Everyone, Rights: gate.Read, Metered: true, Audit: gate.OfReads},
	SourceDelete: {Kinds: gate.Everyone, Rights: gate.Both, Deletes: true, Metered: true, Audit: gate.WithChange,
		Command: "loci source delete ID"},
}
