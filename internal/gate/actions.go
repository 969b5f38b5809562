package gate

import (
	"cmp"
	"context"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

// Action names one thing that a principal can ask for. Routes, tools and commands name the action that they perform.
type Action string

// Rule defines who may perform an action, and what Loci records about it.
type Rule struct {
	Kinds  []loci.Kind
	Rights []loci.Right // a limited credential must have all of them
	Flags
	Role    loci.MemberRole // the minimum role in the org; "": any
	Command string
}

// Flags are what a Rule says with yes or no.
type Flags uint16

// The Flags of a Rule. Loci doesn't do what it can't record in the audit trail, and it records rejections of every
// action.
const (
	Metered    Flags = 1 << iota // report the action to the metering hook
	WithChange                   // Write records the action in the audit trail, in the transaction of the change
	WithCall                     // Begin records it; for actions that change nothing
	// Deletes means that the org's deletion rule applies. StepUp requires a browser sign-in with a
	// fresh proof, whatever the org's rule. Neither applies to the operator at the data directory.
	Deletes
	StepUp
	// Recent means that, whatever the deletion rule, an agent may do this to what it has just written. The
	// use case asks OnlyRecent.
	Recent
	// Disk means that for Deletes and StepUp, an assistant over stdio counts as the operator who
	// started it at the data directory.
	Disk
	Closed  // a call in a closed session may do it, although it is recorded with a change
	Browser // only browser sign-ins may do it
	// Personal means that entries of the audit trail may name rows of other people, although the action
	// requires a role in the org. Only the people themselves see these entries.
	Personal

	NotAudited Flags = 0
	// OfReads stands in the rule of each action that returns memories and changes nothing. WithCall here makes Loci
	// record all of them. A change without effect and the dry run of an undo also return memories, and Loci does not
	// record them.
	OfReads = NotAudited
)

// Are reports whether f has one of these flags.
func (f Flags) Are(of Flags) bool { return f&of != 0 }

// Actions maps each action to its rule.
type Actions map[Action]Rule

// Add adds an action and returns it. It panics if a has it.
func (a Actions) Add(act Action, by []loci.Kind, rights []loci.Right, flags Flags, more ...func(*Rule)) Action {
	rule := Rule{Kinds: by, Rights: rights, Flags: flags}
	for _, set := range more {
		set(&rule)
	}
	a.add(act, rule)
	return act
}

func (a Actions) add(act Action, rule Rule) {
	if _, ok := a[act]; ok {
		panic("gate: the action " + string(act) + " exists twice")
	}
	a[act] = rule
}

// OrgAdmin requires an admin or owner of the org.
func OrgAdmin(r *Rule) { r.Role = loci.MemberAdmin }

// OrgOwner requires an owner of the org.
func OrgOwner(r *Rule) { r.Role = loci.MemberOwner }

// Command names the command that does it, with its arguments, if Deletes or StepUp applies and no page does it.
func Command(line string) func(*Rule) { return func(r *Rule) { r.Command = line } }

// The kinds of principals and the rights that rules use.
var (
	Everyone = []loci.Kind{loci.KindUser, loci.KindAgent, loci.KindAdmin, loci.KindLocal}
	People   = []loci.Kind{loci.KindUser, loci.KindAdmin, loci.KindLocal}
	Admins   = []loci.Kind{loci.KindAdmin, loci.KindLocal}
	Operator = []loci.Kind{loci.KindLocal}

	Read    = []loci.Right{loci.RightRead}
	Write   = []loci.Right{loci.RightWrite}
	Events  = []loci.Right{loci.RightEvents}
	Graphs  = []loci.Right{loci.RightGraph}
	Account = []loci.Right{loci.RightAccount}
	Admin   = []loci.Right{loci.RightAdmin}
	// A change returns the changed memory, so it also reads.
	Both = []loci.Right{loci.RightRead, loci.RightWrite}
)

// Administrative returns the actions that administer an org, sorted: those that require a role in it.
// Admins of the org see who performed them, and whose attempts Loci rejected.
func (g *Gate) Administrative() (list []string) {
	for act, rule := range g.rules {
		if rule.Role != "" && !rule.Are(Personal) {
			list = append(list, string(act))
		}
	}
	slices.Sort(list)
	return list
}

// Requires reports whether any action requires the right. Others belong to capabilities that this version lacks.
func (g *Gate) Requires(right loci.Right) bool {
	for _, rule := range g.rules {
		if slices.Contains(rule.Rights, right) {
			return true
		}
	}
	return false
}

// Begin is the authorization check. It rejects an action without a rule. It records rejections as
// far as the disk allows. In a closed session, it rejects changes with Conflict. Then it returns the first of
// problems, which are what is wrong with the input: only callers who may perform the action learn of them.
func (g *Gate) Begin(ctx context.Context, p loci.Principal, act Action, problems ...error) error {
	if p.IsZero() {
		return loci.Errorf(loci.Unauthenticated, "no credential: send Authorization: Bearer <key>")
	}
	rule := g.rules[act]
	if err := g.allows(p, rule); err != nil {
		g.Refused(ctx, p, act)
		return err
	}
	if p.SessionClosed && rule.Are(WithChange) && !rule.Are(Closed) {
		return loci.ClosedSession()
	}
	if rule.Are(Metered) && g.o.Meter != nil {
		g.o.Meter(ctx, p, act)
	}
	if rule.Are(WithCall) {
		if err := g.record(ctx, p, act); err != nil {
			return err
		}
	}
	return cmp.Or(problems...)
}

// record is separate, because its closure puts the principal on the heap.
func (g *Gate) record(ctx context.Context, p loci.Principal, act Action) error {
	return g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Audit().Add(ctx, g.Entry(p, act)) })
}

// Also checks a second action within one that has begun, without metering it.
func (g *Gate) Also(ctx context.Context, p loci.Principal, act Action) error {
	err := g.May(p, act)
	if err != nil {
		g.Refused(ctx, p, act)
	}
	return err
}

// May decides. It is part of Begin and Also, which record rejections.
func (g *Gate) May(p loci.Principal, act Action) error {
	return g.allows(p, g.rules[act]) // an action without a rule is for no kind of principal
}

func (g *Gate) allows(p loci.Principal, r Rule) error {
	if !slices.Contains(r.Kinds, p.Kind) {
		return notFor(p, r)
	}
	for _, right := range r.Rights {
		if !p.Has(right) {
			return lacks(p, right)
		}
	}
	if p.Kind == loci.KindLocal {
		return nil
	}
	switch {
	case r.Role != "" && !p.OrgRole.AtLeast(r.Role):
		return needsRole(r.Role)
	case p.OnlyProjects && len(r.Rights) > 0 && !slices.ContainsFunc(r.Rights, isOfProjects):
		return limited(p)
	case r.Are(Browser) && p.Method != loci.BySignIn:
		return loci.Errorf(loci.Forbidden, "this needs a browser sign-in; sign in at /app/ and do it there")
	case r.Are(Disk) && p.Method == loci.ByDisk:
		return nil
	case r.Are(Recent) && p.Kind == loci.KindAgent:
		return nil
	case r.Are(StepUp) || r.Are(Deletes) && cmp.Or(p.Deletion, g.o.Deletion) == loci.DeleteWithStepUp:
		return g.stepUp(p, r)
	}
	return nil
}

// OnlyRecent returns nil if p may take an action that it may begin on everything it wrote. Otherwise p may take it only
// on what it has just written, and OnlyRecent returns the error for all else.
func (g *Gate) OnlyRecent(p loci.Principal, act Action) error {
	r := g.rules[act]
	r.Flags &^= Recent
	return g.allows(p, r)
}

func isOfProjects(r loci.Right) bool {
	return r == loci.RightRead || r == loci.RightWrite || r == loci.RightGraph || r == loci.RightEvents ||
		r == loci.RightReflect
}

// stepUp requires a browser sign-in with a fresh proof.
func (g *Gate) stepUp(p loci.Principal, r Rule) error {
	if p.Method != loci.BySignIn && p.Method != loci.ByDashboard {
		return needsProof(p, r)
	}
	if !p.Fresh(g.o.Now()) {
		return loci.Errorf(loci.StepUp,
			"this needs a proof of who you are that is at most %d minutes old: prove it at /app/step-up, then repeat",
			int(loci.StepUpAge.Minutes()))
	}
	return nil
}

// Entry returns the audit entry of an action. The operator isn't a user of any org, so the entry
// names no user, whoever the action is for.
func (g *Gate) Entry(p loci.Principal, act Action) loci.AuditEntry {
	if p.Kind == loci.KindLocal {
		p.UserID = loci.UserID{}
	}
	return loci.AuditEntry{At: g.Time(), Action: string(act), Allowed: true, Kind: p.Kind, Method: p.Method,
		UserID: p.UserID, Vendor: p.Vendor, CredentialID: p.CredentialID}
}

// Refused records a rejection, here or in a surface before it called the gate. A failure is only
// logged, because a full disk must not turn a rejection into another answer.
func (g *Gate) Refused(ctx context.Context, p loci.Principal, act Action) {
	if p.IsZero() {
		return
	}
	e := g.Entry(p, act)
	e.Allowed = false
	err := g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error { return tx.Audit().Add(ctx, e) })
	if err != nil {
		g.Log.WarnContext(ctx, "cannot record a rejection", "action", string(act), "error", err)
	}
}

// Write runs fn in one transaction of the principal's org. It also records the action if its rule
// requires that. fn may set the target and the count of the entry. An empty Action in the entry
// records nothing, for a call that changed nothing. Write records rejections by fn like those by
// Begin. It also finishes a request that must be carried out once.
func (g *Gate) Write(ctx context.Context, p loci.Principal, act Action,
	fn func(tx store.Tx, e *loci.AuditEntry) error) error {
	once := onceOf(ctx)
	err := g.Store.Update(ctx, p.OrgID, func(tx store.Tx) error {
		e := g.Entry(p, act)
		if err := fn(tx, &e); err != nil {
			return err
		}
		if g.rules[act].Are(WithChange) && e.Action != "" {
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
		g.Refused(ctx, p, act)
	}
	return err
}

// BeginWrite is Begin, then Write.
func (g *Gate) BeginWrite(ctx context.Context, p loci.Principal, act Action,
	fn func(tx store.Tx, e *loci.AuditEntry) error) error {
	if err := g.Begin(ctx, p, act); err != nil {
		return err
	}
	return g.Write(ctx, p, act, fn)
}

// Record writes the entry of an action whose change isn't in the org's own rows. It writes before
// the change, because Loci doesn't do what it can't record.
func (g *Gate) Record(ctx context.Context, p loci.Principal, act Action, target string) error {
	err := g.Write(Apart(ctx), p, act, func(_ store.Tx, e *loci.AuditEntry) error {
		e.Target = target
		return nil
	})
	if p.Kind == loci.KindLocal && (g.o.Unwritable || loci.CodeOf(err) == loci.Full) {
		return nil // the operator may read what nothing can be written beside; a change fails by itself
	}
	return err
}

// Meter receives each metered action before it is carried out. It must not block.
type Meter func(context.Context, loci.Principal, Action)
