package loci

import (
	"slices"
	"strings"
	"time"
)

// FeedKind is the kind of row that a FeedEvent is about.
type FeedKind string

// The kinds of rows in the feed. FeedMemory and FeedNode are those that readers get who ask for none.
const (
	FeedMemory     FeedKind = "memory"
	FeedNode       FeedKind = "memory_node"
	FeedCandidate  FeedKind = "candidate"
	FeedSuggestion FeedKind = "suggestion"
	FeedSession    FeedKind = "session"
	FeedEvents     FeedKind = "events" // new events of a session; the id is the session's; for people only
	FeedTask       FeedKind = "task"
	FeedProject    FeedKind = "project" // also a change of its members
	FeedGraph      FeedKind = "graph"   // the id is the project's; for people only
	FeedAgent      FeedKind = "agent"
	FeedKey        FeedKind = "key"     // of oneself
	FeedGrant      FeedKind = "grant"   // of oneself
	FeedSignIn     FeedKind = "sign_in" // of oneself; with the person's own id: how they sign in
	FeedMember     FeedKind = "member"  // of the org or of a team
	FeedTeam       FeedKind = "team"
	FeedInvitation FeedKind = "invitation"
	FeedWorkspace  FeedKind = "workspace" // also a change of its members
	FeedOrg        FeedKind = "org"       // its name and rules
	FeedDream      FeedKind = "dream"     // a receipt of the dream-cycle
)

var feedKinds = []FeedKind{FeedMemory, FeedNode, FeedCandidate, FeedSuggestion, FeedSession, FeedEvents, FeedTask,
	FeedProject, FeedGraph, FeedAgent, FeedKey, FeedGrant, FeedSignIn, FeedMember, FeedTeam, FeedInvitation,
	FeedWorkspace, FeedOrg, FeedDream}

// FeedKinds returns all kinds.
func FeedKinds() []FeedKind { return slices.Clone(feedKinds) }

// ParseFeedKinds returns the kinds that a reader asks for, each once. A name may also be several, with commas
// between them. "all" stands for all kinds, and none at all for FeedMemory and FeedNode. An unknown kind is Invalid.
func ParseFeedKinds(names []string) ([]FeedKind, error) {
	if len(names) == 0 {
		return []FeedKind{FeedMemory, FeedNode}, nil
	}
	var kinds []FeedKind
	for name := range strings.SplitSeq(strings.Join(names, ","), ",") {
		switch kind := FeedKind(strings.TrimSpace(name)); {
		case kind == "all":
			return FeedKinds(), nil
		case !slices.Contains(feedKinds, kind):
			return nil, FieldErrorf("kinds", "must be all, or some of: %s", strings.Join(Texts(feedKinds), ", "))
		case !slices.Contains(kinds, kind):
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// InWorkspace reports whether rows of the kind belong to a workspace, where workspaces are on. Those of
// accounts and of the org itself do not.
func (k FeedKind) InWorkspace() bool {
	switch k {
	case FeedKey, FeedGrant, FeedSignIn, FeedMember, FeedTeam, FeedInvitation, FeedWorkspace, FeedOrg, FeedAgent,
		FeedDream:
		return false
	}
	return true
}

// The changes that only a FeedEvent has, in addition to those that create a version.
const (
	Erased Change = "erased" // permanently deleted
	Hidden Change = "hidden" // the reader can no longer see it
)

// Notices applies the visibility rule to the change of a row. It returns the change as v learns of it, or "" if v
// learns nothing. before and after are the rule's inputs on either side of the change, and v must see all of one
// side. An empty side means that the row didn't exist yet, or no longer exists.
//
//   - If v sees the row after the change, v learns of the change in any state of the row. Only its
//     owner sees a row in the trash.
//   - If v saw the row before and no longer does, v learns that it is hidden.
//   - If v saw the row before it was erased, v learns that it was erased.
//
// The rule uses v's rights of now. A new member of a team or project doesn't learn what happened
// there before; their feed starts again at that point.
func (v Viewer) Notices(change Change, before, after []Access) Change {
	switch {
	case v.seesAll(after):
		return change
	case !v.seesAll(before):
		return ""
	case len(after) == 0:
		return Erased
	}
	return Hidden
}

// seesAll reports whether list is not empty and v sees all of it, in any state.
func (v Viewer) seesAll(list []Access) bool {
	for i := range list {
		if !v.Sees(&list[i], AnyState, time.Time{}) {
			return false
		}
	}
	return len(list) > 0
}

// FeedEvent is a change of something that the reader may see.
type FeedEvent struct {
	At      time.Time `json:"at"`
	Kind    FeedKind  `json:"kind" enum:"memory,memory_node,candidate,suggestion,session,task,project,graph,agent,key,grant,sign_in,member,team,invitation,workspace,org,events,dream"`
	ID      string    `json:"id" doc:"Of the row; of kind graph: of the project"`
	Change  Change    `json:"change" enum:"created,updated,trashed,restored,erased,hidden" doc:"hidden: you can no longer see it"`
	Version int       `json:"version,omitempty" doc:"The version of a memory, candidate or task; absent if hidden"`
	Origin  string    `json:"origin,omitempty" doc:"Who changed it, if known"`
}
