package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/app"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
	"github.com/loci-memory/loci/internal/transfer"
)

// policy is the table of actions once more, written down from the design and
// not from the code. Kinds: u person, g agent, a instance admin, l operator.
// The last column is the proof: browser, fresh, or delete (the org's rule); -disk adds
// that an assistant at the data directory itself needs none, and -own that an agent may begin it.
const policy = `
memory.create       ugal memories:write               any    -
memory.read         ugal memories:read                any    -
memory.resolve      ugal memories:read                any    -
memory.change       ugal memories:read,memories:write any    -
memory.trash        ugal memories:read,memories:write any    delete-own
memory.restore      ual  memories:read,memories:write any    delete
memory.erase        ual  memories:read,memories:write any    delete
memory.read_trash   ual  memories:read                any    -
memory.history      ugal memories:read                any    -
memory.share        ugal memories:read,memories:write any    -
team.read_pool      ugal memories:read                any    -
query               ugal memories:read                any    -
briefing            ugal memories:read                any    -
context.read        ugal memories:read                any    -
transfer.export     ual  memories:read                any    -
transfer.import     l    -                            any    -
memory.revert       ual  memories:read,memories:write  any    -
undo                ual  memories:read,memories:write  any    fresh
undo.plan           ual  memories:read,memories:write  any    -
changes.read        ugal memories:read                 any    -
suggestion.read     ugal memories:read                 any    -
suggestion.settle   ual  memories:read,memories:write  any    -
agent.create        ugal memories:write                any    -
agent.read          ugal memories:read                 any    -
agent.change        ugal memories:read,memories:write  any    -
agent.delete        ual  memories:read,memories:write  any    delete
session.create      ugal memories:write                any    -
session.read        ugal memories:read                 any    -
session.change      ugal memories:read,memories:write  any    -
session.close       ugal memories:write                any    -
session.reopen      ugal memories:write                any    -
task.create         ugal memories:write                any    -
task.read           ugal memories:read                 any    -
task.change         ugal memories:read,memories:write  any    -
task.delete         ual  memories:read,memories:write  any    delete
golden.read         ual  memories:read                 any    -
golden.change       ual  memories:read,memories:write  any    -
golden.run          ual  memories:read,memories:write  any    -
reflection.read     ugal reflect                       any    -
reflection.store    ugal reflect,memories:write        any    -
review.read         ugal reflect                       any    -
review.decide       ugal reflect,memories:write        any    -
review.accept       ugal reflect,memories:write        any    -
dream               ual  admin                         admin  -
dream.read          ual  admin                         admin  -
event.log           ugal events                        any    -
event.read          ugal events                        any    -
event.dead          l    -                            any    -
event.replay        l    -                            any    -
asset.add           ugal memories:read,memories:write  any    -
asset.read          ugal memories:read                 any    -
asset.delete        ugal memories:read,memories:write  any    delete
source.add          ugal memories:read,memories:write  any    -
source.read         ugal memories:read                 any    -
source.delete       ugal memories:read,memories:write  any    delete
memory_node.create  ugal memories:write                any    -
memory_node.read    ugal memories:read                 any    -
memory_node.change  ugal memories:read,memories:write  any    -
memory_node.trash   ugal memories:read,memories:write  any    delete
memory_node.restore ual  memories:read,memories:write  any    delete
memory_node.erase   ual  memories:read,memories:write  any    delete
whoami              ugal -                            any    -
account.change      ual  account                      any    -
account.delete      ual  account                      any    fresh
sign_in.read        ual  account                      any    -
sign_in.change      ual  account                      any    fresh
sign_in.list        ual  account                      any    -
sign_in.end         ual  account                      any    -
key.list            ual  account                      any    -
key.list_all        l    -                            any    -
key.create          ual  account                      any    fresh
key.rotate          ual  account                      any    fresh
key.revoke          ual  account                      any    -
grant.consent       ual  account                      any    browser
grant.list          ual  account                      any    -
grant.list_all      l    -                            any    -
grant.revoke        ual  account                      any    -
team.create         ual  account                      any    -
team.read           ual  account                      any    -
team.change         ual  account                      any    -
team.delete         ual  account                      any    fresh
team.invite         ual  account                      any    -
team.role           ual  account                      any    fresh
team.remove         ual  account                      any    -
team.join           ual  account                      any    -
team.leave          ual  account                      any    -
org.read            ual  account                      any    -
org.change          ual  admin                        admin  -
org.set             ual  admin                        owner  fresh
org.hold            ual  admin                        owner  fresh
org.delete          ual  admin                        owner  fresh
org.invite          ual  admin                        admin  -
member.list         ual  admin                        admin  -
member.add          l    -                            any    -
member.role         ual  admin                        admin  fresh
member.remove       ual  admin                        admin  fresh
member.enable       ual  admin                        admin  fresh
workspace.read      ual  account                      any    -
workspace.change    ual  admin                        admin  -
workspace.enter     ual  account                      any    -
project.read        ugal graph                        any    -
project.create      ugal graph                        any    -
project.change      ual  graph                        any    -
project.archive     ugal graph                        any    -
project.restore     ugal graph                        any    -
project.delete      ugal graph                        any    delete-disk
project.members     ual  graph                        any    -
project.member      ual  graph                        any    -
graph.read          ugal graph                        any    -
graph.write         ugal graph                        any    -
graph.delete        ugal graph                        any    -
graph.restore       ugal graph                        any    -
graph.merge         ugal graph                        any    -
graph.read_trash    ugal graph                        any    -
graph.history       ugal graph                        any    -
graph.vendors       ual  graph                        any    -
graph.export        ual  graph                        any    -
graph.import        ual  graph                        any    -
graph.check         l    -                            any    -
settings.read       ual  account                      any    -
settings.change     al   admin                        any    fresh
admin.read          al   admin                        any    -
org.create          al   admin                        any    fresh
org.list            al   admin                        any    -
org.suspend         al   admin                        any    fresh
job.list            al   admin                        any    -
backup.list         al   admin                        any    -
backup.create       al   admin                        any    fresh
backup.verify       al   admin                        any    -
org.export          l    -                            any    -
arc.read            l    -                            any    -
arc.set             l    -                            any    -
master.rotate       l    -                            any    -
user.role           l    -                            any    -
user.set            l    -                            any    -
user.reset          l    -                            any    -
link.create         l    -                            any    -
audit.read          ual  account                      any    -
audit.read_org      ual  admin                        admin  -
audit.read_all      l    -                            any    -
oauth_client.list   al   admin                        any    -
oauth_client.set    al   admin                        any    fresh
oauth_client.delete al   admin                        any    fresh
`

type policyRow struct {
	kinds  string
	rights []string
	role   string
	proof  string
}

func readPolicy(t *testing.T) map[gate.Action]policyRow {
	t.Helper()
	rows := map[gate.Action]policyRow{}
	for line := range strings.Lines(strings.TrimSpace(policy)) {
		f := strings.Fields(line)
		if len(f) != 5 {
			t.Fatalf("bad line %q", line)
		}
		row := policyRow{kinds: f[1], role: f[3], proof: f[4]}
		if f[2] != "-" {
			row.rights = strings.Split(f[2], ",")
		}
		rows[gate.Action(f[0])] = row
	}
	return rows
}

// decide is the policy's answer: "" is yes.
func (r policyRow) decide(p loci.Principal, fresh bool, deletion loci.Deletion) loci.Code {
	letter := map[loci.Kind]string{loci.KindUser: "u", loci.KindAgent: "g", loci.KindAdmin: "a",
		loci.KindLocal: "l"}[p.Kind]
	if !strings.Contains(r.kinds, letter) {
		return loci.Forbidden
	}
	for _, right := range r.rights {
		if len(p.Rights) > 0 && !slices.Contains(p.Rights, loci.Right(right)) {
			return loci.Forbidden
		}
	}
	if letter == "l" {
		return ""
	}
	ranks := []string{"any", "member", "admin", "owner"}
	if r.role != "any" && slices.Index(ranks, string(p.OrgRole)) < slices.Index(ranks, r.role) {
		return loci.Forbidden
	}
	if p.OnlyProjects && len(r.rights) > 0 && !strings.HasPrefix(r.rights[0], "memories:") && r.rights[0] != "graph" &&
		r.rights[0] != "reflect" &&
		r.rights[0] != "events" {
		return loci.Forbidden
	}
	proof, own := strings.CutSuffix(r.proof, "-own")
	if own && letter == "g" {
		return "" // the use case limits it to what the agent has just written
	}
	proof, disk := strings.CutSuffix(proof, "-disk")
	if disk && p.Method == loci.ByDisk {
		return ""
	}
	browser := p.Method == loci.BySignIn
	switch {
	case proof == "browser" && !browser:
		return loci.Forbidden
	case proof == "fresh", proof == "delete" && deletion == loci.DeleteWithStepUp:
		if !browser && p.Method != loci.ByDashboard {
			return loci.Forbidden
		}
		if !fresh {
			return loci.StepUp
		}
	}
	return ""
}

func TestTheTableSaysWhatThePolicySays(t *testing.T) {
	t.Parallel()
	want := readPolicy(t)
	rules := app.Rules()
	for act := range rules {
		if _, ok := want[act]; !ok {
			t.Errorf("%s is not in the policy", act)
		}
	}
	s := newStage(t, loci.DeleteWithStepUp)
	tried := 0
	credentials := everyCredential()
	for act, row := range want {
		if _, ok := rules[act]; !ok {
			t.Errorf("%s has no rule", act)
		}
		for _, c := range credentials {
			p := c.Principal
			if c.fresh {
				p.ProvedAt = s.now
			} else if p.Method == loci.BySignIn {
				p.ProvedAt = s.now.Add(-loci.StepUpAge - time.Minute)
			}
			deletion := p.Deletion
			if deletion == "" {
				deletion = loci.DeleteWithStepUp
			}
			tried++
			err := s.May(p, act)
			if got, want := loci.CodeOf(err), row.decide(p, c.fresh, deletion); got != want || (err == nil) != (want == "") {
				t.Errorf("%s by %+v: got %q (%v), want %q", act, p, got, err, want)
			}
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d decisions", tried)
	}
	wantCode(t, s.May(loci.Principal{Kind: loci.KindLocal}, "no.such.action"), loci.Forbidden)
}

type tryOut struct {
	loci.Principal
	fresh bool
}

// everyCredential returns each kind × role × method × right.
func everyCredential() (all []tryOut) {
	rights := [][]loci.Right{nil, loci.Rights(), {loci.RightRead, loci.RightWrite}}
	for _, r := range loci.Rights() {
		rights = append(rights, []loci.Right{r})
	}
	org := loci.OrgID("acme")
	user := loci.NewUserID()
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent, loci.KindAdmin, loci.KindLocal} {
		for _, role := range []loci.MemberRole{"", loci.Member, loci.MemberAdmin, loci.MemberOwner} {
			for _, method := range []loci.Method{loci.ByKey, loci.ByEnvironment, loci.BySignIn, loci.ByOAuth, loci.ByDashboard,
				loci.ByDisk} {
				for _, r := range rights {
					for n := range 8 {
						p := loci.Principal{Kind: kind, OrgID: org, UserID: user, OrgRole: role, Method: method, Rights: r,
							OnlyProjects: n&1 != 0}
						if n&2 != 0 {
							p.Deletion = loci.DeleteWithKey
						}
						if kind == loci.KindAgent {
							p.Vendor = "claude"
						}
						all = append(all, tryOut{p, n&4 != 0})
					}
				}
			}
		}
	}
	return all
}

// inClosed are the recorded actions that a closed session allows: those on sessions, and exports, which change nothing.
var inClosed = []gate.Action{agent.SessionCreate, agent.SessionChange, agent.SessionClose, agent.SessionReopen,
	graph.Export, transfer.Export}

// TestClosedSessionsTakeNoChanges walks the whole table in a closed session.
func TestClosedSessionsTakeNoChanges(t *testing.T) {
	t.Parallel()
	s := newStage(t, loci.DeleteWithKey)
	_, boss := s.org("acme", "boss@acme.example")
	person := s.session(boss)
	tried := map[gate.Action]bool{}
	for _, p := range []loci.Principal{person, s.key(person, auth.KeyRequest{Vendor: "claude"})} {
		p.SessionClosed = true
		for act, rule := range app.Rules() {
			if s.May(p, act) != nil {
				continue
			}
			want := loci.Code("")
			if tried[act] = true; rule.Are(gate.WithChange) && !slices.Contains(inClosed, act) {
				want = loci.Conflict
			}
			if err := s.Begin(t.Context(), p, act); loci.CodeOf(err) != want {
				t.Errorf("%s by a %s: got %v, want code %q", act, p.Kind, err, want)
			}
		}
	}
	for _, act := range inClosed {
		if !tried[act] {
			t.Errorf("%s was not tried", act)
		}
	}
}

// waysOut are the beginnings of what a refusal tells the caller to do.
var waysOut = []string{"ask ", "tell your person", "sign in at /app/", "prove it at /app/step-up", "use "}

// TestRefusalsSayWhatToDo walks the whole table with each kind of principal.
func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	s := newStage(t, loci.DeleteWithStepUp)
	refused := map[loci.Kind]int{}
	checked := map[bool]map[string]bool{true: {}, false: {}} // for agents, and for people
	credentials := everyCredential()
	for act := range app.Rules() {
		for _, c := range credentials {
			agent := c.Kind == loci.KindAgent
			if agent && (c.Method == loci.BySignIn || c.Method == loci.ByDashboard) {
				continue // no agent signs in
			}
			err := s.May(c.Principal, act)
			if err == nil {
				continue
			}
			refused[c.Kind]++
			text := err.Error()
			if checked[agent][text] {
				continue
			}
			checked[agent][text] = true
			if !slices.ContainsFunc(waysOut, func(way string) bool { return strings.Contains(text, way) }) {
				t.Fatalf("%s by %+v: %q has no way out", act, c.Principal, text)
			}
			if agent && (!strings.Contains(text, "your person") && !strings.Contains(text, "ask an owner") ||
				strings.Contains(text, "sign in")) {
				t.Fatalf("%s by an agent: %q does not say what to tell the person", act, text)
			}
			for name := range app.Rules() {
				if slices.Contains(strings.FieldsFunc(text, notOfName), string(name)) {
					t.Fatalf("%s by %+v: %q names the action %s", act, c.Principal, text, name)
				}
			}
		}
	}
	if refused[loci.KindUser] == 0 || refused[loci.KindAgent] == 0 || refused[loci.KindAdmin] == 0 {
		t.Errorf("refused %v, want some of each kind", refused)
	}
}

func notOfName(r rune) bool { return r != '.' && r != '_' && !unicode.IsLetter(r) }

// TestRefusalsNameTheCommand requires the very command that helps.
func TestRefusalsNameTheCommand(t *testing.T) {
	t.Parallel()
	s := newStage(t, loci.DeleteWithStepUp)
	p := loci.Principal{Kind: loci.KindUser, OrgID: "acme", UserID: loci.NewUserID(), Method: loci.ByKey}
	for act, want := range map[gate.Action]string{
		memory.Trash:       "loci org set acme deletion=api_key",
		identity.AdminRead: "loci user role " + p.UserID.String() + " admin",
		identity.KeyCreate: "sign in at /app/",
		project.Delete:     "use `loci project delete PROJECT`",
	} {
		if err := s.May(p, act); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", act, err, want)
		}
	}
	p.Method = loci.BySignIn
	if err := s.May(p, identity.KeyCreate); loci.CodeOf(err) != loci.StepUp ||
		!strings.Contains(fmt.Sprint(err), "/app/step-up") {
		t.Errorf("got %v", err)
	}
}
