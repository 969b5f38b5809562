package app

import (
	"slices"

	"github.com/loci-memory/loci"
)

// action names one thing that a principal can ask for.
type action string

const (
	createMemory   action = "memory.create"
	readMemory     action = "memory.read"
	changeMemory   action = "memory.change"
	trashMemory    action = "memory.trash"
	readTrash      action = "memory.read_trash"
	readHistory    action = "memory.history"
	askQuery       action = "query"
	readBriefing   action = "briefing"
	readIdentity   action = "whoami"
	readTeam       action = "team.read"
	shareWithTeam  action = "team.share"
	manageKeys     action = "keys.manage"
	exportMemories action = "transfer.export"
	importMemories action = "transfer.import"
)

// rule says who may take an action.
type rule struct {
	kinds  []loci.Kind
	rights []loci.Right // that a limited key must have, all of them
	delete bool         // the org's deletion setting applies
}

var (
	everyone = []loci.Kind{loci.KindUser, loci.KindAgent, loci.KindAdmin, loci.KindLocal}
	people   = []loci.Kind{loci.KindUser, loci.KindAdmin, loci.KindLocal}
	operator = []loci.Kind{loci.KindLocal}

	read  = []loci.Right{loci.RightRead}
	write = []loci.Right{loci.RightWrite}
	// A change answers with the memory as it is then, so it reads too.
	both = []loci.Right{loci.RightRead, loci.RightWrite}
)

// rules is the one table of what may be done by whom. Agents read and add;
// they never change or remove.
var rules = map[action]rule{
	createMemory:   {kinds: everyone, rights: write},
	readMemory:     {kinds: everyone, rights: read},
	changeMemory:   {kinds: people, rights: both},
	trashMemory:    {kinds: people, rights: both, delete: true},
	readTrash:      {kinds: people, rights: read},
	readHistory:    {kinds: people, rights: read},
	askQuery:       {kinds: everyone, rights: read},
	readBriefing:   {kinds: everyone, rights: read},
	readIdentity:   {kinds: everyone},
	readTeam:       {kinds: everyone, rights: read},
	shareWithTeam:  {kinds: everyone, rights: both},
	manageKeys:     {kinds: operator},
	exportMemories: {kinds: people, rights: read},
	importMemories: {kinds: operator},
}

// begin is the authorisation check. An action without a rule is refused.
func (a *App) begin(p loci.Principal, act action) error {
	if p.IsZero() {
		return loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	r, ok := rules[act]
	if !ok || !slices.Contains(r.kinds, p.Kind) {
		return loci.Errorf(loci.Forbidden, "this credential may not do that: %s is not open to a principal of kind %q", act, p.Kind)
	}
	for _, right := range r.rights {
		if !p.Has(right) {
			return loci.Errorf(loci.Forbidden, "this key is limited to other rights; %s needs %q", act, right)
		}
	}
	if r.delete && a.deletion == DeleteWithStepUp && p.Kind != loci.KindLocal {
		return loci.Errorf(loci.Forbidden, "deleting needs a signed-in browser session with a fresh proof; an API key is not enough here (deletion = %q)", a.deletion)
	}
	return nil
}
