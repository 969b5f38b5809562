package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// strangers is what A must not learn of: people of another org, and what a
// colleague of another team keeps. mark stands in every text of theirs.
type strangers struct {
	mark                              string
	memories, credentials, grants     [][16]byte
	users, teams, invites, workspaces [][16]byte
	projects, nodes, tasks            [][16]byte
	assets, sources, suggestions      [][16]byte
	memoryNodes, items, agents, work  [][16]byte
	names                             []string // of projects, entities and what hangs on them
	tokens                            []loci.Secret
	org                               loci.OrgID
}

// caller is A: what it got is kept.
type caller struct {
	*stage
	rt  *rapid.T
	ctx context.Context
	p   loci.Principal
	own []loci.MemoryID
	// shared is a project that A is in, unless the credential is limited.
	shared loci.ProjectID
	got    bytes.Buffer
	last   string
}

// note keeps an answer and returns what can be told apart of a failure.
func (c *caller) note(what string, answer any, err error) string {
	var e *loci.Error
	switch {
	case errors.As(err, &e):
		c.last = fmt.Sprintf("%s %s %s", e.Code, e.Field, e.Text)
	case err != nil:
		c.rt.Fatalf("%s: an error without a code: %v", what, err)
	default:
		c.last = "ok"
	}
	text, jsonErr := json.Marshal(answer)
	if jsonErr != nil {
		c.rt.Fatal(jsonErr)
	}
	fmt.Fprintf(&c.got, "%s: %s %s\n", what, c.last, text)
	return c.last
}

// probe is a call that names a row. pick is the rows of strangers to name.
type probe struct {
	name string
	pick func(*strangers) [][16]byte
	call func(*caller, [16]byte) (any, error)
}

func none(err error) (any, error)                     { return nil, err }
func pair[A, B any](a A, _ B, err error) (any, error) { return a, err }

var probes = []probe{
	{"get", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Get(c.ctx, c.p, id) }},
	{"by ids", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.ByIDs(c.ctx, c.p, []loci.MemoryID{id}, loci.When{})
	}},
	{"versions", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		v, _, err := c.Memory.Versions(c.ctx, c.p, id, 0, 0)
		return v, err
	}},
	{"patch", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Patch(c.ctx, c.p, id, 0, memory.Patch{Title: loci.Set("x")})
	}},
	{"replace", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Replace(c.ctx, c.p, id, 7, memory.Draft{Title: "x", Content: "y"})
	}},
	{"trash", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Trash(c.ctx, c.p, id, 0) }},
	{"trash many", memoriesOf,
		func(c *caller, id [16]byte) (any, error) { return c.Memory.TrashMany(c.ctx, c.p, []loci.MemoryID{id}) }},
	{"restore", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Restore(c.ctx, c.p, id, 0) }},
	{"erase", memoriesOf, func(c *caller, id [16]byte) (any, error) { return none(c.Memory.Erase(c.ctx, c.p, id, 0)) }},
	{"share", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Share(c.ctx, c.p, id) }},
	{"unshare", memoriesOf, func(c *caller, id [16]byte) (any, error) { return c.Memory.Unshare(c.ctx, c.p, id) }},
	{"query", memoriesOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.Query(c.ctx, c.p, memory.QueryRequest{Query: "what", IDs: []loci.MemoryID{id}})
	}},
	{"rotate", credentialsOf,
		func(c *caller, id [16]byte) (any, error) { return pair(c.Identity.RotateKey(c.ctx, c.p, id, 0)) }},
	{"revoke key", credentialsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Identity.RevokeKey(c.ctx, c.p, id)) }},
	{"end session", credentialsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Identity.EndSignIn(c.ctx, c.p, id)) }},
	{"enter", credentialsOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Identity.EnterWorkspace(c.ctx, c.p, id, loci.NewWorkspaceID()))
	}},
	{"revoke grant", grantsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Identity.RevokeGrant(c.ctx, c.p, id)) }},
	{"team", teamsOf, func(c *caller, id [16]byte) (any, error) { return c.Org.Team(c.ctx, c.p, id) }},
	{"rename team", teamsOf, func(c *caller, id [16]byte) (any, error) { return c.Org.RenameTeam(c.ctx, c.p, id, "x") }},
	{"delete team", teamsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Org.DeleteTeam(c.ctx, c.p, id, true)) }},
	{"invite to team", teamsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Org.InviteToTeam(c.ctx, c.p, id, []string{"x@y.example"}, loci.Member)
	}},
	{"leave team", teamsOf, func(c *caller, id [16]byte) (any, error) { return none(c.Org.LeaveTeam(c.ctx, c.p, id)) }},
	{"remove from team", usersOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Org.RemoveFromTeam(c.ctx, c.p, c.p.TeamID, id))
	}},
	{"remove from their team", teamsOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Org.RemoveFromTeam(c.ctx, c.p, id, c.p.UserID))
	}},
	{"team role", usersOf, func(c *caller, id [16]byte) (any, error) {
		return c.Org.SetTeamRole(c.ctx, c.p, c.p.TeamID, id, loci.Member)
	}},
	{"role in their team", teamsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Org.SetTeamRole(c.ctx, c.p, id, c.p.UserID, loci.MemberOwner)
	}},
	{"revoke invite", invitesOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Org.RevokeInvite(c.ctx, c.p, id)) }},
	{"set member", usersOf, func(c *caller, id [16]byte) (any, error) {
		return c.Org.SetMember(c.ctx, c.p, id, org.MemberChange{Role: new(loci.Member)})
	}},
	{"disable", usersOf, func(c *caller, id [16]byte) (any, error) {
		return c.Org.SetMember(c.ctx, c.p, id, org.MemberChange{Disabled: new(true)})
	}},
	{"delete user", usersOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Identity.DeleteUser(c.ctx, c.p, id)) }},
	{"workspace members", workspacesOf,
		func(c *caller, id [16]byte) (any, error) { return c.Org.WorkspaceMembers(c.ctx, c.p, id) }},
	{"rename workspace", workspacesOf,
		func(c *caller, id [16]byte) (any, error) { return c.Org.RenameWorkspace(c.ctx, c.p, id, "x") }},
	{"delete workspace", workspacesOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Org.DeleteWorkspace(c.ctx, c.p, id)) }},
	{"join workspace", workspacesOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Org.JoinWorkspace(c.ctx, c.p, id, c.p.UserID))
	}},
	{"leave workspace", workspacesOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Org.LeaveWorkspace(c.ctx, c.p, id, c.p.UserID))
	}},
	{"key in workspace", workspacesOf, func(c *caller, id [16]byte) (any, error) {
		return pair(c.Identity.CreateKey(c.ctx, c.p, auth.KeyRequest{Name: "k", WorkspaceID: id}))
	}},
	{"enter workspace", workspacesOf, func(c *caller, id [16]byte) (any, error) {
		return none(c.Identity.EnterWorkspace(c.ctx, c.p, loci.CredentialID{}, id))
	}},
	{"members after", usersOf,
		func(c *caller, id [16]byte) (any, error) {
			_, _, err := c.Org.Members(c.ctx, c.p, id, 1)
			return nil, err
		}},
	{"list team", teamsOf, func(c *caller, id [16]byte) (any, error) {
		return c.Memory.List(c.ctx, c.p, memory.ListRequest{Filter: memory.Filter{TeamID: id}, Total: true})
	}},
	{"passkey", credentialsOf,
		func(c *caller, id [16]byte) (any, error) { return none(c.Identity.RemovePasskey(c.ctx, c.p, id[:])) }},
}

func memoriesOf(s *strangers) [][16]byte    { return s.memories }
func credentialsOf(s *strangers) [][16]byte { return s.credentials }
func grantsOf(s *strangers) [][16]byte      { return s.grants }
func usersOf(s *strangers) [][16]byte       { return s.users }
func teamsOf(s *strangers) [][16]byte       { return s.teams }
func invitesOf(s *strangers) [][16]byte     { return s.invites }
func workspacesOf(s *strangers) [][16]byte  { return s.workspaces }

// walks are calls that name nobody: what they answer is A's own.
var walks = map[string]func(*caller) (any, error){
	"list": func(c *caller) (any, error) { return c.Memory.List(c.ctx, c.p, memory.ListRequest{Total: true}) },
	"trash": func(c *caller) (any, error) {
		return c.Memory.List(c.ctx, c.p, memory.ListRequest{Filter: memory.Filter{Lifecycle: loci.TrashOnly}, Total: true})
	},
	"search": func(c *caller) (any, error) {
		return c.Memory.Search(c.ctx, c.p, memory.SearchRequest{Query: "secret plan"})
	},
	"ask": func(c *caller) (any, error) {
		return c.Memory.Query(c.ctx, c.p, memory.QueryRequest{Query: "secret plan"})
	},
	"briefing": func(c *caller) (any, error) { return c.Memory.Briefing(c.ctx, c.p, loci.When{}) },
	"latest":   func(c *caller) (any, error) { return c.Memory.Latest(c.ctx, c.p, memory.Filter{}) },
	"pool": func(c *caller) (any, error) {
		return c.Memory.TeamMemories(c.ctx, c.p, memory.ListRequest{Total: true})
	},
	"export": func(c *caller) (any, error) {
		var b bytes.Buffer
		_, err := c.App.Transfer.Export(c.ctx, c.p, &b)
		return b.String(), err
	},
	"whoami":     func(c *caller) (any, error) { return c.Identity.WhoAmI(c.ctx, c.p) },
	"rename me":  func(c *caller) (any, error) { return c.Identity.RenameMe(c.ctx, c.p, "Ann") },
	"keys":       func(c *caller) (any, error) { return c.Identity.Keys(c.ctx, c.p, "") },
	"all keys":   func(c *caller) (any, error) { return c.Identity.OrgKeys(c.ctx, c.p) },
	"sessions":   func(c *caller) (any, error) { return c.Identity.SignIns(c.ctx, c.p) },
	"methods":    func(c *caller) (any, error) { return c.Identity.SignInMethods(c.ctx, c.p) },
	"grants":     func(c *caller) (any, error) { return c.Identity.Grants(c.ctx, c.p) },
	"all grants": func(c *caller) (any, error) { return c.Identity.OrgGrants(c.ctx, c.p) },
	"vendors":    func(c *caller) (any, error) { return c.Identity.Vendors(c.ctx, c.p) },
	"preview": func(c *caller) (any,
		error) {
		return c.Identity.Preview(c.ctx, c.p, []loci.Vendor{"claude", "cursor"})
	},
	"new key": func(c *caller) (any, error) {
		return pair(c.Identity.CreateKey(c.ctx, c.p, auth.KeyRequest{Name: "k", Vendor: "claude"}))
	},
	"new team": func(c *caller) (any, error) { return c.Org.CreateTeam(c.ctx, c.p, "Team "+uuid.NewString()) },
	"org":      func(c *caller) (any, error) { return c.Org.Get(c.ctx, c.p) },
	"orgs":     func(c *caller) (any, error) { return c.Org.List(c.ctx, c.p) },
	"metrics":  func(c *caller) (any, error) { return c.Identity.AdminMetrics(c.ctx, c.p) },
	"users": func(c *caller) (any, error) {
		return pair(c.Identity.AdminUsers(c.ctx, c.p, identity.AdminUsersQuery{}))
	},
	"own trail": func(c *caller) (any, error) {
		return c.Identity.Audit(c.ctx, c.p, identity.AuditList{AuditQuery: identity.AuditQuery{Limit: 500}})
	},
	"trail":      func(c *caller) (any, error) { return c.Identity.AuditTrail(c.ctx, c.p, identity.AuditQuery{}) },
	"clients":    func(c *caller) (any, error) { return c.Identity.OAuthClients(c.ctx, c.p) },
	"workspaces": func(c *caller) (any, error) { return c.Org.Workspaces(c.ctx, c.p) },
	"divide":     func(c *caller) (any, error) { return c.Org.Set(c.ctx, c.p, org.Settings{Workspaces: new(true)}) },
	"others":     func(c *caller) (any, error) { return c.Identity.EndOtherSignIns(c.ctx, c.p) },
	"add": func(c *caller) (any, error) {
		m, err := c.Memory.Create(c.ctx, c.p, memory.Draft{Title: "mine", Content: "my secret plan"})
		if err == nil {
			c.own = append(c.own, m.ID)
		}
		return m, err
	},
	"share mine": func(c *caller) (any, error) {
		if len(c.own) == 0 {
			return nil, nil
		}
		return c.Memory.Share(c.ctx, c.p, c.own[len(c.own)-1])
	},
}

// drawFewer has a slow property drawn n times, unless -rapid.checks says how often. The flag belongs to the whole
// process, so the test must not be parallel.
func drawFewer(t *testing.T, n int) {
	f := flag.Lookup("rapid.checks")
	all := f.Value.String()
	if all == "100" || all == "30" && n < 30 { // 30 under the race detector
		_ = f.Value.Set(strconv.Itoa(n))
		t.Cleanup(func() { _ = f.Value.Set(all) })
	}
}

func TestNoSequenceOfCallsRevealsStrangers(t *testing.T) {
	drawFewer(t, 25)
	s := newStage(t, loci.DeleteWithKey)
	probed, walked := map[string]int{}, map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		c, all := drawWorld(rt, s)
		for range rapid.IntRange(30, 80).Draw(rt, "calls") {
			if rapid.IntRange(0, 2).Draw(rt, "kind") == 0 {
				name := rapid.SampledFrom(names(walks)).Draw(rt, "walk")
				answer, err := walks[name](c)
				if c.note(name, answer, err) == "ok" {
					walked[name]++
				}
				c.refresh()
				continue
			}
			b := all[rapid.IntRange(0, len(all)-1).Draw(rt, "stranger")]
			if rapid.IntRange(0, 4).Draw(rt, "how") == 0 {
				c.probeName(rt, b)
				continue
			}
			pr := rapid.SampledFrom(probes).Draw(rt, "probe")
			ids := pr.pick(b)
			if len(ids) == 0 {
				continue
			}
			if strings.HasPrefix(pr.name, "remove from team") || pr.name == "team role" {
				if c.p.TeamID.IsZero() {
					continue
				}
			}
			answer, err := pr.call(c, rapid.SampledFrom(ids).Draw(rt, "id"))
			got := c.note(pr.name, answer, err)
			answer, err = pr.call(c, [16]byte(uuid.New()))
			if want := c.note(pr.name, answer, err); got != want {
				rt.Fatalf("%s: a stranger's row answers %q, no row at all %q", pr.name, got, want)
			}
			probed[pr.name]++
		}
		c.acceptStrangers(all)
		for _, b := range all {
			if strings.Contains(strings.ToLower(c.got.String()), b.mark) {
				rt.Fatalf("%s got out:\n%s", b.mark, c.got.String())
			}
		}
	})
	for _, pr := range probes {
		if probed[pr.name] == 0 {
			t.Logf("%s was never drawn", pr.name)
		}
	}
	t.Logf("%d kinds of probe, %d of walks succeeded", len(probed), len(walked))
}

func names[V any](m map[string]V) []string { return slices.Sorted(mapsKeys(m)) }

// refresh gives the caller what a next request of theirs would have.
func (c *caller) refresh() {
	_ = c.st.View(c.ctx, c.p.OrgID, func(tx store.Tx) error {
		u, err := tx.Users().Get(c.ctx, c.p.UserID)
		if err == nil {
			c.p.OrgRole, c.p.TeamID, c.p.TeamRole = u.OrgRole, u.TeamID, u.TeamRole
		}
		return err
	})
	if !c.p.OnlyProjects {
		ids, err := c.st.ProjectMembers().Of(c.ctx, c.p.OrgID, c.p.UserID, c.p.WorkspaceID)
		c.must(err)
		c.p.ProjectIDs = ids
	}
	if !c.p.ProvedAt.IsZero() {
		c.p.ProvedAt = c.now
	}
}

// acceptStrangers tries every invitation that was made out to somebody else.
func (c *caller) acceptStrangers(all []*strangers) {
	for _, b := range all {
		for _, token := range b.tokens {
			answer, err := c.Org.AcceptInvite(c.ctx, c.p, token)
			got := c.note("accept", answer, err)
			answer, err = c.Org.AcceptInvite(c.ctx, c.p, auth.NewSecret("loci_invite_"))
			if want := c.note("accept", answer, err); got != want {
				c.rt.Fatalf("a stranger's invitation answers %q, none at all %q", got, want)
			}
		}
	}
}

var serial int

// drawWorld makes orgs with people, and A among them.
func drawWorld(rt *rapid.T, s *stage) (*caller, []*strangers) {
	serial++
	tag := fmt.Sprintf("w%d", serial)
	boss, owner := s.org(loci.OrgID(tag+"a"), tag+"@a.example")
	u := owner
	if rapid.Bool().Draw(rt, "member") {
		u = s.user(boss, tag+"-2@a.example",
			rapid.SampledFrom([]loci.MemberRole{loci.Member, loci.MemberAdmin}).Draw(rt, "role"))
	}
	colleague := s.user(boss, tag+"-3@a.example", loci.Member)
	c := &caller{stage: s, rt: rt, ctx: s.t.Context(), p: s.session(u)}
	all := []*strangers{s.settleStrangers(rt, s.session(colleague), tag+"-colleague", u.OrgRole != loci.Member)}
	if u.OrgRole == loci.Member {
		all[0].users = append(all[0].users, colleague.ID)
	}
	for n := range rapid.IntRange(1, 2).Draw(rt, "orgs") {
		mark := fmt.Sprintf("%s-stranger%d", tag, n)
		operator, b := s.org(loci.OrgID(mark), mark+"@b.example")
		st := s.settleStrangers(rt, s.session(b), mark, false)
		st.users = append(st.users, b.ID, s.user(operator, mark+"-2@b.example", loci.Member).ID)
		all = append(all, st)
	}
	if rapid.Bool().Draw(rt, "team") {
		_, err := s.Org.CreateTeam(c.ctx, c.p, "Team of A "+tag)
		s.must(err)
		c.refresh()
	}
	c.limit(rt)
	c.settleShared(rt, s.session(colleague), all[0])
	c.refresh()
	return c, all
}

// limit makes A's credential one of the many that there can be.
func (c *caller) limit(rt *rapid.T) {
	switch rapid.IntRange(0, 3).Draw(rt, "credential") {
	case 0:
		c.p.ProvedAt = c.now
	case 1:
		c.p.Kind, c.p.Method, c.p.Vendor, c.p.Origin = loci.KindAgent, loci.ByKey, "claude", "claude"
	case 2:
		c.p.Method, c.p.ProvedAt = loci.ByKey, time.Time{}
		c.p.ProjectIDs, c.p.OnlyProjects = []loci.ProjectID{loci.ProjectID(uuid.New())}, true
	case 3:
		c.p.Method, c.p.ProvedAt = loci.ByKey, time.Time{}
		c.p.Rights = rapid.SliceOfNDistinct(rapid.SampledFrom(loci.Rights()), 1, 4, rapid.ID[loci.Right]).Draw(rt, "rights")
	}
}

// settleStrangers gives a person one of everything.
func (s *stage) settleStrangers(rt *rapid.T, p loci.Principal, mark string, known bool) *strangers {
	ctx := s.t.Context()
	b := &strangers{mark: mark, org: p.OrgID}
	vendors := rapid.SampledFrom([][]loci.Vendor{{loci.AnyVendor}, {"claude"}, {"cursor"}}).Draw(rt, "vendors")
	for n := range rapid.IntRange(1, 3).Draw(rt, "memories") {
		m := s.add(p, memory.Draft{Title: mark + " title", Content: "the secret plan of " + mark, Tags: []string{mark},
			AllowedVendors: vendors, Key: oneKey, Dedupe: memory.DedupeCreate})
		b.memories = append(b.memories, m.ID)
		s.attachTo(p, m.ID, b)
		s.suggestAbout(p, m.ID, b)
		if n == 0 {
			s.settleStructured(p, m.ID, b)
		}
		if n == 1 {
			_, err := s.Memory.Trash(ctx, p, m.ID, 0)
			s.must(err)
		}
	}
	key, _, err := s.Identity.CreateKey(ctx, p, auth.KeyRequest{Name: mark + " key", Vendor: "claude"})
	s.must(err)
	b.credentials = append(b.credentials, key.ID, p.CredentialID)
	b.grants = append(b.grants, s.grant(p, mark+" client", "claude"))
	s.settleProject(rt, p, b)
	if known { // an admin of the org may know its people and teams
		return b
	}
	team, err := s.Org.CreateTeam(ctx, p, mark+" team")
	s.must(err)
	p.TeamID, p.TeamRole = team.ID, loci.MemberOwner
	_, err = s.Memory.Share(ctx, p, b.memories[0])
	s.must(err)
	made, err := s.Org.InviteToTeam(ctx, p, team.ID, []string{mark + "-new@b.example"}, loci.Member)
	s.must(err)
	b.teams, b.invites, b.tokens = append(b.teams, team.ID), append(b.invites, made[0].Invite.ID),
		append(b.tokens, made[0].Token)
	if p.OrgRole == loci.MemberOwner {
		space, err := s.Org.CreateWorkspace(ctx, p, mark+" space")
		s.must(err)
		b.workspaces = append(b.workspaces, space.ID)
	}
	return b
}
