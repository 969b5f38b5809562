// Package storetest is the suite that every storage engine passes, all of it.
// It tests the contract at its boundary: nothing in it knows how an engine
// keeps its rows. An engine joins with one test that calls Run.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Open makes a fresh, empty store for one test and closes it when the test
// ends. now is the clock that decides about expiry.
type Open func(t *testing.T, now func() time.Time) store.Store

// Run runs the suite, each test on a store of its own. If there are names, it runs only these tests.
func Run(t *testing.T, open Open, names ...string) {
	for _, name := range names {
		if !slices.ContainsFunc(tests, func(test test) bool { return test.name == name }) {
			t.Errorf("the suite has no test %s", name)
		}
	}
	for _, test := range tests {
		if len(names) > 0 && !slices.Contains(names, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(newEnv(t, open))
		})
	}
}

type test struct {
	name string
	run  func(*env)
}

var tests = []test{
	{"InsertKeepsEveryField", testInsertKeepsEveryField},
	{"InsertConflict", testInsertConflict},
	{"InsertRefusesStrangers", testInsertRefusesStrangers},
	{"GetNotFound", testGetNotFound},
	{"GetMany", testGetMany},
	{"Replace", testReplace},
	{"ReplaceErrors", testReplaceErrors},
	{"Versions", testVersions},
	{"VersionsNeedBothVendors", testVersionsNeedBothVendors},
	{"InsertVersion", testInsertVersion},
	{"Rewrite", testRewrite},
	{"VersionsNeedBothReaches", testVersionsNeedBothReaches},
	{"Purge", testPurge},
	{"Erase", testErase},
	{"EraseOf", testEraseOf},
	{"SharedBy", testSharedBy},
	{"ReplacedBy", testReplacedBy},
	{"Tenancy", testTenancy},
	{"Stamp", testStamp},
	{"PeopleStamp", testPeopleStamp},
	{"UnknownOrg", testUnknownOrg},
	{"Rollback", testRollback},
	{"Snapshot", testSnapshot},
	{"UpdateSeesItsWrites", testUpdateSeesItsWrites},
	{"ConcurrentInserts", testConcurrentInserts},
	{"ConcurrentReplace", testConcurrentReplace},
	{"ListOrder", testListOrder},
	{"ListPages", testListPages},
	{"ListPagesUnderInserts", testListPagesUnderInserts},
	{"OwnRowsOfAgents", testOwnRowsOfAgents},
	{"ListFilters", testListFilters},
	{"ManyProjects", testManyProjects},
	{"ListTotals", testListTotals},
	{"ListTrash", testListTrash},
	{"ListExpiry", testListExpiry},
	{"ListPositions", testListPositions},
	{"ListManyVendorsAndProjects", testListManyVendorsAndProjects},
	{"ListKeepsKindsApart", testListKeepsKindsApart},
	{"ListOfTeam", testListOfTeam},
	{"OnlyProjects", testOnlyProjects},
	{"HiddenRowsChangeNothing", testHiddenRowsChangeNothing},
	{"ListContexts", testListContexts},
	{"Visibility", testVisibility},
	{"RebuildChangesNothing", testRebuildChangesNothing},
	{"Users", testUsers},
	{"UsersList", testUsersList},
	{"UsersOfTeam", testUsersOfTeam},
	{"Owners", testOwners},
	{"UnfinishedUsers", testUnfinishedUsers},
	{"Teams", testTeams},
	{"TeamDelete", testTeamDelete},
	{"Invites", testInvites},
	{"InviteAgain", testInviteAgain},
	{"Settle", testSettle},
	{"Workspaces", testWorkspaces},
	{"WorkspaceMembers", testWorkspaceMembers},
	{"WorkspaceDelete", testWorkspaceDelete},
	{"Adopt", testAdopt},
	{"Passwords", testPasswords},
	{"Passkeys", testPasskeys},
	{"Audit", testAudit},
	{"AuditPages", testAuditPages},
	{"AuditReach", testAuditReach},
	{"AuditPurge", testAuditPurge},
	{"GraphAudit", testGraphAudit},
	{"Orgs", testOrgs},
	{"OrgsConcurrent", testOrgsConcurrent},
	{"Credentials", testCredentials},
	{"CredentialErrors", testCredentialErrors},
	{"AnyAgent", testAnyAgent},
	{"CredentialKinds", testCredentialKinds},
	{"CredentialChanges", testCredentialChanges},
	{"Use", testUse},
	{"Rotate", testRotate},
	{"PurgeCredentials", testPurgeCredentials},
	{"OrgOwner", testOrgOwner},
	{"OrgUpdate", testOrgUpdate},
	{"OrgUpdateAtOnce", testOrgUpdateAtOnce},
	{"OrgDelete", testOrgDelete},
	{"OrgExport", testOrgExport},
	{"People", testPeople},
	{"PeopleConcurrent", testPeopleConcurrent},
	{"SetEmail", testSetEmail},
	{"RemovePerson", testRemovePerson},
	{"Invitations", testInvitations},
	{"OAuthClients", testOAuthClients},
	{"Grants", testGrants},
	{"Redeem", testRedeem},
	{"OAuthMachine", testOAuthMachine},
	{"OAuthConcurrent", testOAuthConcurrent},
	{"PurgeOAuth", testPurgeOAuth},
	{"ArcBindings", testArcBindings},
	{"Jobs", testJobs},
	{"ArcBindingsAtOnce", testArcBindingsAtOnce},
	{"Limits", testLimits},
	{"Settings", testSettings},
	{"Locks", testLocks},
	{"StateKeys", testStateKeys},
	{"Failures", testFailures},
	{"Projects", testProjects},
	{"ProjectsUpdate", testProjectsUpdate},
	{"ProjectsWithGraphs", testProjectsWithGraphs},
	{"ProjectsHidden", testProjectsHidden},
	{"ProjectList", testProjectList},
	{"ProjectMembers", testProjectMembers},
	{"ProjectArchive", testProjectArchive},
	{"ProjectDelete", testProjectDelete},
	{"ProjectDeleteMemories", testProjectDeleteMemories},
	{"ProjectsOfLeavers", testProjectsOfLeavers},
	{"ProjectsVersion", testProjectsVersion},
	{"ProjectInWorkspace", testProjectInWorkspace},
	{"MCPSessions", testMCPSessions},
	{"MCPSessionsOfClosed", testMCPSessionsOfClosed},
	{"MCPSessionsPurge", testMCPSessionsPurge},
	{"OpenConnections", testOpenConnections},
	{"GraphCreate", testGraphCreate},
	{"GraphObserve", testGraphObserve},
	{"GraphSuggestLimit", testGraphSuggestLimit},
	{"GraphResolve", testGraphResolve},
	{"GraphResolveTwins", testGraphResolveTwins},
	{"GraphMirror", testGraphMirror},
	{"GraphAnswerLimits", testGraphAnswerLimits},
	{"GraphUnseenMerge", testGraphUnseenMerge},
	{"GraphRelate", testGraphRelate},
	{"GraphDelete", testGraphDelete},
	{"GraphRead", testGraphRead},
	{"GraphTexts", testGraphTexts},
	{"GraphTextPositions", testGraphTextPositions},
	{"GraphLooks", testGraphLooks},
	{"GraphWalk", testGraphWalk},
	{"GraphUpkeep", testGraphUpkeep},
	{"GraphRowLimit", testGraphRowLimit},
	{"GraphTextLimit", testGraphTextLimit},
	{"GraphShortRows", testGraphShortRows},
	{"GraphMerge", testGraphMerge},
	{"GraphMergeErrors", testGraphMergeErrors},
	{"GraphMergeVendors", testGraphMergeVendors},
	{"GraphRows", testGraphRows},
	{"GraphInsert", testGraphInsert},
	{"GraphInsertErrors", testGraphInsertErrors},
	{"GraphSetVendors", testGraphSetVendors},
	{"GraphLists", testGraphLists},
	{"GraphHiddenMerge", testGraphHiddenMerge},
	{"GraphNames", testGraphNames},
	{"GraphOldNames", testGraphOldNames},
	{"GraphHiddenTime", testGraphHiddenTime},
	{"GraphHistoryLimit", testGraphHistoryLimit},
	{"GraphVisibility", testGraphVisibility},
	{"ByKey", testByKey},
	{"SavesByKey", testSavesByKey},
	{"ByText", testByText},
	{"EditedBy", testEditedBy},
	{"EditsVisibility", testEditsVisibility},
	{"When", testWhen},
	{"WhenIsNoWayAround", testWhenIsNoWayAround},
	{"WhenInvalid", testWhenInvalid},
	{"WhenImported", testWhenImported},
	{"WhenFilters", testWhenFilters},
	{"WhenMany", testWhenMany},
	{"WhenReplays", testWhenReplays},
	{"Agents", testAgents},
	{"AgentChanges", testAgentChanges},
	{"AgentsOfLeavers", testAgentsOfLeavers},
	{"WorkVisibility", testWorkVisibility},
	{"Sessions", testSessions},
	{"SessionChanges", testSessionChanges},
	{"SessionExpiry", testSessionExpiry},
	{"SessionRelease", testSessionRelease},
	{"SessionPages", testSessionPages},
	{"AdoptSessions", testAdoptSessions},
	{"Packs", testPacks},
	{"PacksAreBounded", testPacksAreBounded},
	{"PacksGo", testPacksGo},
	{"Tasks", testTasks},
	{"TaskChanges", testTaskChanges},
	{"TaskPages", testTaskPages},
	{"TaskInProgress", testTaskInProgress},
	{"TasksGo", testTasksGo},
	{"TaskVisibility", testTaskVisibility},
	{"Golden", testGolden},
	{"GoldenRuns", testGoldenRuns},
	{"GoldenRunsAreForgotten", testGoldenRunsAreForgotten},
	{"GoldenGoes", testGoldenGoes},
	{"GoldenVisibility", testGoldenVisibility},
	{"Candidates", testCandidates},
	{"CandidatesDue", testCandidatesDue},
	{"CandidatesGo", testCandidatesGo},
	{"CandidatesOfASession", testCandidatesOfASession},
	{"CandidatesOfADeletedProject", testCandidatesOfADeletedProject},
	{"CandidateVisibility", testCandidateVisibility},
	{"Dreams", testDreams},
	{"DreamPages", testDreamPages},
	{"DueCandidates", testDueCandidates},
	{"UnreadNotes", testUnreadNotes},
	{"InsertNewCandidates", testInsertNew},
	{"Suggestions", testSuggestions},
	{"SuggestionsOfGraphs", testSuggestionsOfGraphs},
	{"SecretsOfEvents", testSecretsOfEvents},
	{"MemoriesOfSource", testMemoriesOfSource},
	{"SuggestionVisibility", testSuggestionVisibility},
	{"Disagreements", testDisagreements},
	{"DisagreementsSpent", testDisagreementsSpent},
	{"DisagreementVisibility", testDisagreementVisibility},
	{"Idempotency", testIdempotency},
	{"IdempotencyStale", testIdempotencyStale},
	{"IdempotencyAtOnce", testIdempotencyAtOnce},
	{"IdempotencyPurge", testIdempotencyPurge},
	{"Feed", testFeed},
	{"FeedOfAttachments", testFeedOfAttachments},
	{"FeedOfImports", testFeedOfImports},
	{"FeedPositions", testFeedPositions},
	{"FeedPurge", testFeedPurge},
	{"FeedIsBounded", testFeedIsBounded},
	{"FeedReplay", testFeedReplay},
	{"FeedOfWork", testFeedOfWork},
	{"FeedOfTheOrg", testFeedOfTheOrg},
	{"FeedHints", testFeedHints},
	{"FeedWorkReplay", testFeedWorkReplay},
	{"RowsChanged", testRowsChanged},
	{"RowsSkipNodes", testRowsSkipNodes},
	{"RowsRead", testRowsRead},
	{"Blobs", testBlobs},
	{"BlobErrors", testBlobErrors},
	{"BlobSweep", testBlobSweep},
	{"BlobsAtOnce", testBlobsAtOnce},
	{"Assets", testAssets},
	{"ProvenanceVisibility", testProvenanceVisibility},
	{"Sources", testSources},
	{"SourceLimits", testSourceLimits},
	{"MemoryNodes", testMemoryNodes},
	{"MemoryNodeList", testMemoryNodeList},
	{"MemoryNodePurge", testMemoryNodePurge},
	{"NodeItems", testNodeItems},
	{"NodeOrder", testNodeOrder},
	{"NodeOrderBackwards", testNodeOrderBackwards},
	{"NodeLimits", testNodeLimits},
	{"NodeVisibility", testNodeVisibility},
	{"NodeFeed", testNodeFeed},
	{"StructuredOfLeavers", testStructuredOfLeavers},
	{"StructuredOfErased", testStructuredOfErased},
	{"NodesHoldTheirPlaces", testNodesHoldTheirPlaces},
	{"NodeTransfer", testNodeTransfer},
	{"ReadyAndClose", testReadyAndClose},
}

// env is what a test works with: a store with one org and its owner.
type env struct {
	*testing.T
	st    store.Store
	clock *clock
	org   loci.OrgID
	user  loci.UserID
}

// clock stands still until a test moves it.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newEnv(t *testing.T, open Open) *env {
	c := &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	e := &env{T: t, st: open(t, c.now), clock: c, org: loci.DefaultOrg, user: loci.NewUserID()}
	e.ensure(e.org, e.user)
	return e
}

func (e *env) ensure(id loci.OrgID, owner loci.UserID) {
	e.Helper()
	_, created, err := e.st.Orgs().Ensure(e.Context(),
		loci.Org{ID: id, Name: string(id), OwnerID: owner, CreatedAt: e.clock.now()}, loci.User{})
	if err != nil || !created {
		e.Fatalf("Ensure %s: created %v, %v", id, created, err)
	}
}

// update runs fn in a transaction that must succeed.
func (e *env) update(fn func(context.Context, store.Tx) error) {
	e.Helper()
	ctx := e.Context()
	if err := e.st.Update(ctx, e.org, func(tx store.Tx) error { return fn(ctx, tx) }); err != nil {
		e.Fatalf("Update: %v", explain(err))
	}
}

// tryUpdate runs fn in a transaction and returns its error.
func (e *env) tryUpdate(fn func(context.Context, store.Tx) error) error {
	ctx := e.Context()
	return e.st.Update(ctx, e.org, func(tx store.Tx) error { return fn(ctx, tx) })
}

// view runs fn in a read transaction that must succeed.
func (e *env) view(fn func(context.Context, store.Tx) error) {
	e.Helper()
	ctx := e.Context()
	if err := e.st.View(ctx, e.org, func(tx store.Tx) error { return fn(ctx, tx) }); err != nil {
		e.Fatalf("View: %v", explain(err))
	}
}

// memory returns a live memory of the org's owner.
func (e *env) memory(change ...func(*loci.Memory)) *loci.Memory {
	m := &loci.Memory{ID: loci.NewMemoryID(), Title: "a title", Content: "some content"}
	m.OrgID, m.UserID, m.Origin = e.org, e.user, "api"
	m.SetDefaults()
	m.CreatedAt = e.clock.now()
	m.UpdatedAt = m.CreatedAt
	m.State = loci.State{Version: 1, Change: loci.Created, Editor: "api"}
	for _, c := range change {
		c(m)
	}
	return m
}

// insert stores what memory returns.
func (e *env) insert(change ...func(*loci.Memory)) *loci.Memory {
	e.Helper()
	m := e.memory(change...)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Insert(ctx, m) })
	return m
}

// replace stores a changed copy of m and returns it.
func (e *env) replace(m *loci.Memory, change ...func(*loci.Memory)) *loci.Memory {
	e.Helper()
	next := edited(m, e.clock.now(), change...)
	e.update(func(ctx context.Context, tx store.Tx) error { return tx.Memories().Replace(ctx, next) })
	return next
}

func edited(m *loci.Memory, at time.Time, change ...func(*loci.Memory)) *loci.Memory {
	next := m.Clone()
	next.Version++
	next.Change = loci.Updated
	next.UpdatedAt = at
	for _, c := range change {
		c(next)
	}
	return next
}

// trash stores m as trashed now.
func (e *env) trash(m *loci.Memory) *loci.Memory {
	e.Helper()
	return e.replace(m, func(m *loci.Memory) { m.DeletedAt, m.Change = e.clock.now(), loci.Trashed })
}

// person is the owner's view without a vendor.
func (e *env) person() loci.Viewer { return loci.Viewer{OrgID: e.org, UserID: e.user} }

func (e *env) agent(v loci.Vendor) loci.Viewer {
	return loci.Viewer{OrgID: e.org, UserID: e.user, Vendor: v}
}

func (e *env) get(v loci.Viewer, id loci.MemoryID, l loci.Lifecycle) (m *loci.Memory, err error) {
	err = e.st.View(e.Context(), e.org, func(tx store.Tx) error {
		m, err = tx.Memories().Get(e.Context(), v, id, l)
		return err
	})
	return m, err
}

func (e *env) list(v loci.Viewer, q store.ListQuery) store.Page {
	e.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	var page store.Page
	e.view(func(ctx context.Context, tx store.Tx) (err error) {
		page, err = tx.Lists().List(ctx, v, q)
		return err
	})
	return page
}

// check demands that nothing derived differs from the rows.
func (e *env) check() {
	e.Helper()
	e.view(func(ctx context.Context, tx store.Tx) error {
		problems, err := tx.Lists().Check(ctx)
		for _, p := range problems {
			e.Errorf("check: %s", p)
		}
		return err
	})
}

func (e *env) wantCode(what string, err error, want loci.Code) {
	e.Helper()
	if err == nil || loci.CodeOf(err) != want {
		e.Errorf("%s: got %v with code %q, want code %q", what, explain(err), loci.CodeOf(err), want)
	}
	if (want == loci.Conflict || want == loci.NotFound) && err != nil && explain(err) != err.Error() {
		e.Errorf("%s: an ordinary refusal would be logged with what the database says of it: %s", what, explain(err))
	}
}

// explain adds the hidden causes, which a failing test should show.
func explain(err error) string {
	text := fmt.Sprint(err)
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		text += " <- " + cause.Error()
	}
	return text
}

func titles(list []*loci.Memory) (out []string) {
	for _, m := range list {
		out = append(out, m.Title)
	}
	return out
}

func titled(title string) func(*loci.Memory) { return func(m *loci.Memory) { m.Title = title } }
