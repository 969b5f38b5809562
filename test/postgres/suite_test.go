//go:build postgres

package postgres

import (
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/storetest"
)

// The groups of the suite that run. The others need tables or parts of an engine that the proof leaves out.
var (
	memories = []string{
		"InsertKeepsEveryField", "InsertConflict", "InsertRefusesStrangers", "GetNotFound", "GetMany", "Replace",
		"ReplaceErrors", "Versions", "InsertVersion", "Purge", "Erase", "EraseOf", "SharedBy", "ByKey", "SavesByKey",
		"ByText", "EditedBy", "Tenancy", "UnknownOrg", "Rollback", "Snapshot", "UpdateSeesItsWrites", "ConcurrentInserts",
		"ConcurrentReplace", "Suggestions", "Disagreements", "Stamp",
	}
	lists = []string{
		"ListOrder", "ListPages", "ListPagesUnderInserts", "ListFilters", "ManyProjects", "ListTotals", "ListTrash",
		"ListExpiry", "ListPositions", "ListManyVendorsAndProjects", "ListKeepsKindsApart", "ListOfTeam", "ListContexts",
		"When", "WhenInvalid", "WhenImported", "WhenFilters", "WhenMany",
		"RowsChanged", "RowsRead",
	}
	visibility = []string{
		"Visibility", "VersionsNeedBothVendors", "VersionsNeedBothReaches", "OnlyProjects", "EditsVisibility",
		"WhenIsNoWayAround", "WhenReplays", "RebuildChangesNothing", "SuggestionVisibility",
		"DisagreementVisibility",
	}
)

func TestStore(t *testing.T) {
	open := func(t *testing.T, now func() time.Time) store.Store { return open(t, newSchema(t), now) }
	for name, tests := range map[string][]string{"memories": memories, "lists": lists, "visibility": visibility} {
		t.Run(name, func(t *testing.T) { storetest.Run(t, open, tests...) })
	}
}
