package memory

import "github.com/loci-memory/loci/internal/gate"

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// These are the actions on memories.
var (
	Create = Actions.Add("memory.create", gate.Everyone, gate.Write, gate.Metered|gate.WithChange)
	Read   = Actions.Add("memory.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	// The use case that gets the id is metered and audited.
	Resolve = Actions.Add("memory.resolve", gate.Everyone, gate.Read, gate.NotAudited)
	Change  = Actions.Add("memory.change", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	Trash   = Actions.Add("memory.trash", gate.Everyone, gate.Both,
		gate.Metered|gate.WithChange|gate.Deletes|gate.Recent)
	Restore = Actions.Add("memory.restore", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci restore ID"))
	Erase     = Actions.Add("memory.erase", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.Deletes)
	ReadTrash = Actions.Add("memory.read_trash", gate.People, gate.Read, gate.Metered|gate.OfReads)
	History   = Actions.Add("memory.history", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	Share     = Actions.Add("memory.share", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	PoolRead  = Actions.Add("team.read_pool", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	Query     = Actions.Add("query", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	Briefing  = Actions.Add("briefing", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	// Returning to an old version can widen who reads it, so agents may do neither of these.
	Revert = Actions.Add("memory.revert", gate.People, gate.Both, gate.Metered|gate.WithChange)
	Undo   = Actions.Add("undo", gate.People, gate.Both, gate.Metered|gate.WithChange|gate.StepUp)
	// UndoPlan is the dry run of an undo.
	UndoPlan         = Actions.Add("undo.plan", gate.People, gate.Both, gate.Metered|gate.OfReads)
	ChangesRead      = Actions.Add("changes.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	SuggestionRead   = Actions.Add("suggestion.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	SuggestionSettle = Actions.Add("suggestion.settle", gate.People, gate.Both, gate.Metered|gate.WithChange)
	AssetAdd         = Actions.Add("asset.add", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	AssetRead        = Actions.Add("asset.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	AssetDelete      = Actions.Add("asset.delete", gate.Everyone, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci asset delete ID"))
	SourceAdd    = Actions.Add("source.add", gate.Everyone, gate.Both, gate.Metered|gate.WithChange)
	SourceRead   = Actions.Add("source.read", gate.Everyone, gate.Read, gate.Metered|gate.OfReads)
	SourceDelete = Actions.Add("source.delete", gate.Everyone, gate.Both, gate.Metered|gate.WithChange|gate.Deletes,
		gate.Command("loci source delete ID"))
)
