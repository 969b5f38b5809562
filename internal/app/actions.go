package app

import (
	"context"
	"maps"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Action names one thing that a principal can ask for. Routes, tools and
// commands name the action that they carry out.
type Action string

// The actions.
const (
	MemoryCreate  Action = "memory.create"
	MemoryRead    Action = "memory.read"
	MemoryChange  Action = "memory.change"
	MemoryTrash   Action = "memory.trash"
	MemoryRestore Action = "memory.restore"
	MemoryErase   Action = "memory.erase"
	MemoryTrashed Action = "memory.read_trash"
	MemoryHistory Action = "memory.history"
	MemoryShare   Action = "memory.share"
	PoolRead      Action = "team.read_pool"
	Query         Action = "query"
	Briefing      Action = "briefing"
	Export        Action = "transfer.export"
	Import        Action = "transfer.import"
	MemoryRevert  Action = "memory.revert"
	Undo          Action = "undo"
	ChangesRead   Action = "changes.read"

	SuggestionRead   Action = "suggestion.read"
	SuggestionSettle Action = "suggestion.settle"
	AgentCreate      Action = "agent.create"
	AgentRead        Action = "agent.read"
	WorkOpen         Action = "agent_session.open"
	WorkRead         Action = "agent_session.read"
	WorkClose        Action = "agent_session.close"
	AssetAdd         Action = "asset.add"
	AssetRead        Action = "asset.read"
	AssetDelete      Action = "asset.delete"
	SourceAdd        Action = "source.add"
	SourceRead       Action = "source.read"
	SourceDelete     Action = "source.delete"
	NodeCreate       Action = "memory_node.create"
	NodeRead         Action = "memory_node.read"
	NodeChange       Action = "memory_node.change"
	NodeTrash        Action = "memory_node.trash"
	NodeRestore      Action = "memory_node.restore"
	NodeErase        Action = "memory_node.erase"

	WhoAmI        Action = "whoami"
	AccountChange Action = "account.change"
	AccountDelete Action = "account.delete"
	SignInRead    Action = "sign_in.read"
	SignInChange  Action = "sign_in.change"
	SessionList   Action = "session.list"
	SessionEnd    Action = "session.end"
	KeyList       Action = "key.list"
	KeyCreate     Action = "key.create"
	KeyRotate     Action = "key.rotate"
	KeyRevoke     Action = "key.revoke"
	KeyListAll    Action = "key.list_all"
	GrantConsent  Action = "grant.consent"
	GrantList     Action = "grant.list"
	GrantListAll  Action = "grant.list_all"
	GrantRevoke   Action = "grant.revoke"

	TeamCreate Action = "team.create"
	TeamRead   Action = "team.read"
	TeamChange Action = "team.change"
	TeamDelete Action = "team.delete"
	TeamInvite Action = "team.invite"
	TeamRole   Action = "team.role"
	TeamRemove Action = "team.remove"
	TeamJoin   Action = "team.join"
	TeamLeave  Action = "team.leave"

	OrgRead         Action = "org.read"
	OrgChange       Action = "org.change"
	OrgSet          Action = "org.set"
	OrgDelete       Action = "org.delete"
	OrgInvite       Action = "org.invite"
	MemberList      Action = "member.list"
	MemberAdd       Action = "member.add"
	MemberRole      Action = "member.role"
	MemberRemove    Action = "member.remove"
	WorkspaceRead   Action = "workspace.read"
	WorkspaceChange Action = "workspace.change"
	WorkspaceEnter  Action = "workspace.enter"

	ProjectRead    Action = "project.read"
	ProjectCreate  Action = "project.create"
	ProjectChange  Action = "project.change"
	ProjectArchive Action = "project.archive"
	ProjectRestore Action = "project.restore"
	ProjectDelete  Action = "project.delete"
	ProjectMembers Action = "project.members"
	ProjectMember  Action = "project.member"
	GraphRead      Action = "graph.read"
	GraphWrite     Action = "graph.write"
	GraphDelete    Action = "graph.delete"
	GraphRestore   Action = "graph.restore"
	GraphMerge     Action = "graph.merge"
	GraphTrashed   Action = "graph.read_trash"
	GraphHistory   Action = "graph.history"
	GraphVendors   Action = "graph.vendors"
	GraphExport    Action = "graph.export"
	GraphImport    Action = "graph.import"
	GraphCheck     Action = "graph.check"

	AdminRead  Action = "admin.read"
	OrgCreate  Action = "org.create"
	OrgList    Action = "org.list"
	OrgSuspend Action = "org.suspend"
	UserRole   Action = "user.role"
	UserSet    Action = "user.set"
	UserReset  Action = "user.reset"
	LinkCreate Action = "link.create"
	AuditRead  Action = "audit.read"
	ClientList Action = "oauth_client.list"
	ClientSet  Action = "oauth_client.set"
	ClientDrop Action = "oauth_client.delete"
	OrgExport  Action = "org.export"
)

// Rule says who may take an action, and what is kept of it.
type Rule struct {
	Kinds  []loci.Kind
	Rights []loci.Right    // that a limited credential must have, all of them
	Role   loci.MemberRole // the least role in the org; "": any
	// Deletes says that the org's deletion rule applies. StepUp asks for a
	// browser session with a fresh proof, whatever the org says. Neither binds
	// the operator at the data directory.
	Deletes, StepUp bool
	// Disk says that for Deletes and StepUp an assistant over stdio counts as the operator
	// who started it at the data directory.
	Disk bool
	// Browser refuses everything but a browser session.
	Browser bool
	Metered bool // the metering hook is told
	// Audited writes an entry with the change, in its transaction: what cannot
	// be recorded is not done. What is refused is recorded for every action.
	Audited bool
}

// Actions says of each action who may take it, and what is kept of it.
type Actions map[Action]Rule

// The kinds of principals and the rights that rules name.
var (
	everyone = []loci.Kind{loci.KindUser, loci.KindAgent, loci.KindAdmin, loci.KindLocal}
	people   = []loci.Kind{loci.KindUser, loci.KindAdmin, loci.KindLocal}
	admins   = []loci.Kind{loci.KindAdmin, loci.KindLocal}
	operator = []loci.Kind{loci.KindLocal}

	read    = []loci.Right{loci.RightRead}
	write   = []loci.Right{loci.RightWrite}
	graphs  = []loci.Right{loci.RightGraph}
	account = []loci.Right{loci.RightAccount}
	admin   = []loci.Right{loci.RightAdmin}
	// A change answers with the memory as it is then, so it reads too.
	both = []loci.Right{loci.RightRead, loci.RightWrite}
)

// rules is the one table of what may be done by whom. Agents read and add;
// where the org deletes by key, they trash what they wrote themselves.
var rules = Actions{
	MemoryCreate:  {Kinds: everyone, Rights: write, Metered: true, Audited: true},
	MemoryRead:    {Kinds: everyone, Rights: read, Metered: true},
	MemoryChange:  {Kinds: people, Rights: both, Metered: true, Audited: true},
	MemoryTrash:   {Kinds: everyone, Rights: both, Deletes: true, Metered: true, Audited: true},
	MemoryRestore: {Kinds: people, Rights: both, Deletes: true, Metered: true, Audited: true},
	MemoryErase:   {Kinds: people, Rights: both, Deletes: true, Metered: true, Audited: true},
	MemoryTrashed: {Kinds: people, Rights: read, Metered: true},
	MemoryHistory: {Kinds: people, Rights: read, Metered: true},
	MemoryShare:   {Kinds: everyone, Rights: both, Metered: true, Audited: true},
	PoolRead:      {Kinds: everyone, Rights: read, Metered: true},
	Query:         {Kinds: everyone, Rights: read, Metered: true},
	Briefing:      {Kinds: everyone, Rights: read, Metered: true},
	Export:        {Kinds: people, Rights: read, Metered: true, Audited: true},
	Import:        {Kinds: operator, Metered: true, Audited: true},
	// What leads back to an old version can widen who reads it, so agents do neither.
	MemoryRevert: {Kinds: people, Rights: both, Metered: true, Audited: true},
	Undo:         {Kinds: people, Rights: both, StepUp: true, Metered: true, Audited: true},
	ChangesRead:  {Kinds: everyone, Rights: read, Metered: true},

	SuggestionRead:   {Kinds: everyone, Rights: read, Metered: true},
	SuggestionSettle: {Kinds: people, Rights: both, Metered: true, Audited: true},
	AgentCreate:      {Kinds: everyone, Rights: write, Metered: true, Audited: true},
	AgentRead:        {Kinds: everyone, Rights: read, Metered: true},
	WorkOpen:         {Kinds: everyone, Rights: write, Metered: true},
	WorkRead:         {Kinds: everyone, Rights: read, Metered: true},
	WorkClose:        {Kinds: everyone, Rights: write, Metered: true},
	AssetAdd:         {Kinds: everyone, Rights: both, Metered: true, Audited: true},
	AssetRead:        {Kinds: everyone, Rights: read, Metered: true},
	AssetDelete:      {Kinds: everyone, Rights: both, Deletes: true, Metered: true, Audited: true},
	SourceAdd:        {Kinds: everyone, Rights: both, Metered: true, Audited: true},
	SourceRead:       {Kinds: everyone, Rights: read, Metered: true},
	SourceDelete:     {Kinds: everyone, Rights: both, Deletes: true, Metered: true, Audited: true},
	NodeCreate:       {Kinds: everyone, Rights: write, Metered: true, Audited: true},
	NodeRead:         {Kinds: everyone, Rights: read, Metered: true},
	NodeChange:       {Kinds: everyone, Rights: both, Metered: true, Audited: true},
	NodeTrash:        {Kinds: everyone, Rights: both, Deletes: true, Metered: true, Audited: true},
	NodeRestore:      {Kinds: people, Rights: both, Deletes: true, Metered: true, Audited: true},
	NodeErase:        {Kinds: people, Rights: both, Deletes: true, Metered: true, Audited: true},

	WhoAmI:        {Kinds: everyone},
	AccountChange: {Kinds: people, Rights: account, Audited: true},
	AccountDelete: {Kinds: people, Rights: account, StepUp: true, Audited: true},
	SignInRead:    {Kinds: people, Rights: account},
	SignInChange:  {Kinds: people, Rights: account, StepUp: true, Audited: true},
	SessionList:   {Kinds: people, Rights: account},
	SessionEnd:    {Kinds: people, Rights: account, Audited: true},
	KeyList:       {Kinds: people, Rights: account},
	KeyCreate:     {Kinds: people, Rights: account, StepUp: true, Audited: true},
	KeyRotate:     {Kinds: people, Rights: account, StepUp: true, Audited: true},
	KeyRevoke:     {Kinds: people, Rights: account, Audited: true},
	KeyListAll:    {Kinds: operator},
	GrantConsent:  {Kinds: people, Rights: account, Browser: true, Audited: true},
	GrantList:     {Kinds: people, Rights: account},
	GrantListAll:  {Kinds: operator},
	GrantRevoke:   {Kinds: people, Rights: account, Audited: true},

	TeamCreate: {Kinds: people, Rights: account, Audited: true},
	TeamRead:   {Kinds: people, Rights: account},
	TeamChange: {Kinds: people, Rights: account, Audited: true},
	TeamDelete: {Kinds: people, Rights: account, StepUp: true, Audited: true},
	TeamInvite: {Kinds: people, Rights: account, Audited: true},
	TeamRole:   {Kinds: people, Rights: account, StepUp: true, Audited: true},
	TeamRemove: {Kinds: people, Rights: account, Audited: true},
	TeamJoin:   {Kinds: people, Rights: account, Audited: true},
	TeamLeave:  {Kinds: people, Rights: account, Audited: true},

	OrgRead:         {Kinds: people, Rights: account},
	OrgChange:       {Kinds: people, Rights: admin, Role: loci.MemberAdmin, Audited: true},
	OrgSet:          {Kinds: people, Rights: admin, Role: loci.MemberOwner, StepUp: true, Audited: true},
	OrgDelete:       {Kinds: people, Rights: admin, Role: loci.MemberOwner, StepUp: true, Audited: true},
	OrgInvite:       {Kinds: people, Rights: admin, Role: loci.MemberAdmin, Audited: true},
	MemberList:      {Kinds: people, Rights: admin, Role: loci.MemberAdmin},
	MemberAdd:       {Kinds: operator, Audited: true},
	MemberRole:      {Kinds: people, Rights: admin, Role: loci.MemberAdmin, StepUp: true, Audited: true},
	MemberRemove:    {Kinds: people, Rights: admin, Role: loci.MemberAdmin, StepUp: true, Audited: true},
	WorkspaceRead:   {Kinds: people, Rights: account},
	WorkspaceChange: {Kinds: people, Rights: admin, Role: loci.MemberAdmin, Audited: true},
	WorkspaceEnter:  {Kinds: people, Rights: account, Audited: true},

	// Finding a project is a part of most calls about its graph, which are metered themselves.
	ProjectRead:    {Kinds: everyone, Rights: graphs},
	ProjectCreate:  {Kinds: everyone, Rights: graphs, Metered: true, Audited: true},
	ProjectChange:  {Kinds: people, Rights: graphs, Metered: true, Audited: true},
	ProjectArchive: {Kinds: everyone, Rights: graphs, Metered: true, Audited: true},
	ProjectRestore: {Kinds: everyone, Rights: graphs, Metered: true, Audited: true},
	ProjectDelete:  {Kinds: everyone, Rights: graphs, Deletes: true, Disk: true, Metered: true, Audited: true},
	ProjectMembers: {Kinds: people, Rights: graphs, Metered: true},
	ProjectMember:  {Kinds: people, Rights: graphs, Metered: true, Audited: true},
	// What is done in a graph is in the graph's own history, not in the trail.
	GraphRead:    {Kinds: everyone, Rights: graphs, Metered: true},
	GraphWrite:   {Kinds: everyone, Rights: graphs, Metered: true},
	GraphDelete:  {Kinds: everyone, Rights: graphs, Metered: true},
	GraphRestore: {Kinds: everyone, Rights: graphs, Metered: true},
	GraphMerge:   {Kinds: everyone, Rights: graphs, Metered: true},
	GraphTrashed: {Kinds: everyone, Rights: graphs, Metered: true},
	GraphHistory: {Kinds: everyone, Rights: graphs, Metered: true},
	GraphVendors: {Kinds: people, Rights: graphs, Metered: true, Audited: true},
	GraphExport:  {Kinds: people, Rights: graphs, Metered: true, Audited: true},
	GraphImport:  {Kinds: people, Rights: graphs, Metered: true, Audited: true},
	GraphCheck:   {Kinds: operator},

	AdminRead:  {Kinds: admins, Rights: admin},
	OrgCreate:  {Kinds: operator, Audited: true},
	OrgList:    {Kinds: operator},
	OrgSuspend: {Kinds: operator, Audited: true},
	UserRole:   {Kinds: operator, Audited: true},
	UserSet:    {Kinds: operator, Audited: true},
	UserReset:  {Kinds: operator, Audited: true},
	LinkCreate: {Kinds: operator, Audited: true},
	AuditRead:  {Kinds: operator},
	ClientList: {Kinds: operator},
	ClientSet:  {Kinds: operator, Audited: true},
	ClientDrop: {Kinds: operator, Audited: true},
	OrgExport:  {Kinds: operator, Audited: true},
}

// Rules returns a copy of the table, for surfaces that name actions and for
// tests that walk it.
func Rules() Actions { return maps.Clone(rules) }

// begin is the authorisation check. An action without a rule is refused. A
// refusal is recorded, as far as the disk takes it.
func (a *App) begin(ctx context.Context, p loci.Principal, act Action) error {
	if p.IsZero() {
		return loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	if err := a.may(p, act); err != nil {
		a.Refused(ctx, p, act)
		return err
	}
	if a.rules[act].Metered && a.meter != nil {
		a.meter(ctx, p, act)
	}
	return nil
}

// also asks for a second action within one that began, without metering it.
func (a *App) also(ctx context.Context, p loci.Principal, act Action) error {
	err := a.may(p, act)
	if err != nil {
		a.Refused(ctx, p, act)
	}
	return err
}

// may decides. It is part of begin and also, which record what it refuses.
func (a *App) may(p loci.Principal, act Action) error {
	r, ok := a.rules[act]
	if !ok || !slices.Contains(r.Kinds, p.Kind) {
		return loci.Errorf(loci.Forbidden, "this credential may not do that: %s is not open to a principal of kind %q", act, p.Kind)
	}
	for _, right := range r.Rights {
		if !p.Has(right) {
			return loci.Errorf(loci.Forbidden, "this credential is limited to other scopes; %s needs %q", act, right)
		}
	}
	if p.Kind == loci.KindLocal {
		return nil
	}
	if r.Role != "" && !p.OrgRole.AtLeast(r.Role) {
		return loci.Errorf(loci.Forbidden, "%s needs the role %s in the org", act, r.Role)
	}
	if p.OnlyProjects && len(r.Rights) > 0 && !slices.ContainsFunc(r.Rights, isOfProjects) {
		return loci.Errorf(loci.Forbidden, "this key is limited to projects; %s is not about them", act)
	}
	if r.Browser && p.Method != loci.BySession {
		return loci.Errorf(loci.Forbidden, "%s needs a signed-in browser session", act)
	}
	if r.Disk && p.Method == loci.ByDisk {
		return nil
	}
	if r.StepUp || r.Deletes && a.deletionOf(p) == loci.DeleteWithStepUp {
		return a.stepUp(p, act)
	}
	return nil
}

func isOfProjects(r loci.Right) bool {
	return r == loci.RightRead || r == loci.RightWrite || r == loci.RightGraph
}

// deletionOf returns the rule of the principal's org, or the server's default.
func (a *App) deletionOf(p loci.Principal) loci.Deletion {
	if p.Deletion != "" {
		return p.Deletion
	}
	return a.deletion
}

// stepUp asks for a browser session with a proof that is fresh.
func (a *App) stepUp(p loci.Principal, act Action) error {
	if p.Method != loci.BySession && p.Method != loci.ByDashboard {
		hint := ""
		if a.rules[act].Deletes {
			hint = "; an owner can let keys delete with `loci org set ORG deletion=api_key`"
		}
		return loci.Errorf(loci.Forbidden, "%s needs a signed-in browser session with a fresh proof; a key or token is not enough: sign in at /app/%s", act, hint)
	}
	if !p.Fresh(a.now()) {
		return loci.Errorf(loci.StepUp, "%s needs a proof of who you are that is at most %d minutes old: prove it at /app/step-up, then repeat",
			act, int(loci.StepUpAge.Minutes()))
	}
	return nil
}

// entry is what the audit trail keeps of an action. What the operator does is
// nobody's of the org, whomever it is done for.
func (a *App) entry(p loci.Principal, act Action) loci.AuditEntry {
	if p.Kind == loci.KindLocal {
		p.UserID = loci.UserID{}
	}
	return loci.AuditEntry{At: a.time(), Action: string(act), Allowed: true, Kind: p.Kind, Method: p.Method,
		UserID: p.UserID, Vendor: p.Vendor, CredentialID: p.CredentialID}
}

// Refused records what was not allowed, here or by a surface before it came here. A full disk must not turn a
// refusal into another answer, so a failure is only logged.
func (a *App) Refused(ctx context.Context, p loci.Principal, act Action) {
	if p.IsZero() {
		return
	}
	e := a.entry(p, act)
	e.Allowed = false
	err := a.store.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Audit().Add(ctx, e) })
	if err != nil {
		a.log.WarnContext(ctx, "recording a refusal failed", "action", string(act), "error", err)
	}
}

// write runs fn in one transaction of the principal's org, which also records
// the action if its rule says so. fn may set the target and the count of the
// entry; an empty Action in it records nothing, for a call that changed nothing.
// What fn refuses is recorded like what begin does. A request that is carried out once is finished in it.
func (a *App) write(ctx context.Context, p loci.Principal, act Action, fn func(tx store.Tx, e *loci.AuditEntry) error) error {
	once := onceOf(ctx)
	err := a.store.Update(ctx, p.OrgID, func(tx store.Tx) error {
		e := a.entry(p, act)
		if err := fn(tx, &e); err != nil {
			return err
		}
		if a.rules[act].Audited && e.Action != "" {
			if err := tx.Audit().Add(ctx, e); err != nil {
				return err
			}
		}
		if once == nil {
			return nil
		}
		return once.finish(ctx, tx, e.Target)
	})
	if once != nil && err == nil {
		once.finished = true
	}
	if code := loci.CodeOf(err); code == loci.Forbidden || code == loci.StepUp {
		a.Refused(ctx, p, act)
	}
	return err
}

// record writes the entry of an action whose change is not in the org's own
// rows, before it is made: what cannot be recorded is not done.
func (a *App) record(ctx context.Context, p loci.Principal, act Action, target string) error {
	return a.write(apart(ctx), p, act, func(_ store.Tx, e *loci.AuditEntry) error {
		e.Target = target
		return nil
	})
}
