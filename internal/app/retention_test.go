package app_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/event"
	"github.com/loci-memory/loci/internal/identity"
	"github.com/loci-memory/loci/internal/org"
)

const aDay = 24 * time.Hour

// aged is a desk with events of three types, which are 10, 40 and 100 days old.
func aged(t *testing.T) *desk {
	d := newDesk(t)
	var drafts []event.Draft
	for i, kind := range []string{"general", "tool_call", "decision"} {
		for _, days := range []int{10, 40, 100} {
			at := d.now.Add(time.Duration(i)*time.Minute - time.Duration(days)*aDay)
			drafts = append(drafts, event.Draft{Time: at, Type: kind,
				Content: kind[:1] + strings.Repeat("i", days/10)})
		}
	}
	d.must(second(d.Event.Append(t.Context(), d.claude, drafts)))
	return d
}

// left are the contents of what is there, oldest first.
func (d *desk) left() string {
	d.Event.Upkeep(d.t.Context())
	return d.contents(d.tom, event.SearchRequest{Order: "asc"})
}

// retain sets the rules, and lets the time pass in which Loci waits.
func (d *desk) retain(r loci.EventRetention) {
	d.t.Helper()
	d.must(second(d.Org.Set(d.t.Context(), d.operator, org.Settings{Retention: &r})))
	d.now = d.now.Add(loci.RetentionGrace)
}

const (
	oldest = "giiiiiiiiii tiiiiiiiiii diiiiiiiiii"
	middle = "giiii tiiii diiii"
	newest = "gi ti di"
)

func TestRetention(t *testing.T) {
	t.Parallel()
	rule := func(kind string, days int) loci.TypeRetention { return loci.TypeRetention{Type: kind, Days: days} }
	for _, tt := range []struct {
		name string
		rule loci.EventRetention
		want string
	}{
		{"none", loci.EventRetention{}, oldest + " " + middle + " " + newest},
		{"all", loci.EventRetention{Days: 60}, middle + " " + newest},
		{"a type", loci.EventRetention{Types: []loci.TypeRetention{rule("tool_call", 30)}},
			"giiiiiiiiii diiiiiiiiii giiii diiii " + newest},
		{"others", loci.EventRetention{Days: 30, Types: []loci.TypeRetention{rule("decision", 0), rule("tool_call", 60)}},
			"diiiiiiiiii tiiii diiii " + newest},
		{"only others", loci.EventRetention{Types: []loci.TypeRetention{rule("absent", 1)}},
			oldest + " " + middle + " " + newest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := aged(t)
			d.retain(tt.rule)
			if got := d.left(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What is kept today may be too old tomorrow, and another org keeps its own.
func TestRetentionGoesOn(t *testing.T) {
	t.Parallel()
	d := aged(t)
	other, _ := d.org("other", "boss@other.example")
	d.log(other, event.Draft{Time: d.now.Add(-100 * aDay), Content: "theirs"})
	d.retain(loci.EventRetention{Days: 120})
	if got := d.left(); got != oldest+" "+middle+" "+newest {
		t.Fatalf("got %q", got)
	}
	d.now = d.now.Add(25 * aDay)
	if got := d.left(); got != middle+" "+newest {
		t.Errorf("25 days later: got %q", got)
	}
	if got := d.contents(other, event.SearchRequest{}); got != "theirs" {
		t.Errorf("the other org: got %q", got)
	}
}

// After somebody has shortened the rules, Loci waits before it deletes anything. Longer rules apply at once.
func TestRetentionWaits(t *testing.T) {
	t.Parallel()
	d := aged(t)
	var said bytes.Buffer
	d.Event.Log = slog.New(slog.NewTextHandler(&said, nil))
	all := oldest + " " + middle + " " + newest
	set := func(r loci.EventRetention) loci.Org {
		o, err := d.Org.Set(t.Context(), d.operator, org.Settings{Retention: &r})
		d.must(err)
		return o
	}
	if o := set(loci.EventRetention{Days: 60}); !o.RetentionFrom.After(d.now.Add(loci.RetentionGrace - time.Minute)) {
		t.Errorf("got %v", o.RetentionFrom)
	}
	if got := d.left(); got != all {
		t.Errorf("at once: got %q", got)
	}
	d.now = d.now.Add(loci.RetentionGrace / 2)
	if o := set(loci.EventRetention{Days: 70}); o.RetentionFrom.After(d.now.Add(loci.RetentionGrace * 3 / 4)) {
		t.Errorf("a longer rule begins the time anew: %v", o.RetentionFrom)
	}
	set(loci.EventRetention{Days: 70, Types: []loci.TypeRetention{{Type: "tool_call", Days: 30}}})
	d.now = d.now.Add(loci.RetentionGrace * 3 / 4)
	if got := d.left(); got != all {
		t.Errorf("before the time of the second rule: got %q", got)
	}
	d.now = d.now.Add(loci.RetentionGrace / 4)
	if got := d.left(); got != "giiii diiii "+newest {
		t.Errorf("after that: got %q", got)
	}
	for _, want := range []string{"will delete old events", "event_type=tool_call", `event_type="every other"`, "before=2",
		`msg="deleted events that the org keeps no longer" org=acme events=4`} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the log does not have %q:\n%s", want, said.String())
		}
	}
}

// More than one part is deleted at once.
func TestRetentionOfMany(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	drafts := make([]event.Draft, 1201)
	for i := range drafts {
		drafts[i] = event.Draft{Time: d.now.Add(-40 * aDay), Content: "x", DedupKey: time.Duration(i + 1).String()}
	}
	d.must(second(d.Event.Append(t.Context(), d.claude, drafts)))
	d.retain(loci.EventRetention{Days: 30})
	if got := d.left(); got != "" {
		t.Errorf("%d bytes are left", len(got))
	}
}

func TestRetentionIsChecked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, tt := range []struct {
		rule loci.EventRetention
		want string
	}{
		{loci.EventRetention{Days: -1}, "events_retention.days"},
		{loci.EventRetention{Days: 36_501}, "events_retention.days"},
		{loci.EventRetention{Types: []loci.TypeRetention{{Type: "a b", Days: 1}}}, "events_retention.types[0].event_type"},
		{loci.EventRetention{Types: []loci.TypeRetention{{Type: "a", Days: 1}, {Type: "a"}}},
			"events_retention.types[1].event_type"},
		{loci.EventRetention{Types: make([]loci.TypeRetention, 51)}, "events_retention.types"},
	} {
		_, err := d.Org.Set(t.Context(), d.operator, org.Settings{Retention: &tt.rule})
		if loci.CodeOf(err) != loci.Invalid || loci.FieldOf(err) != tt.want {
			t.Errorf("%+v: got %v, want an error of %s", tt.rule, err, tt.want)
		}
	}
	wantCode(t, second(d.Org.Set(t.Context(), d.tom, org.Settings{Retention: &loci.EventRetention{Days: 1}})),
		loci.Forbidden)
}

// Under legal hold nothing deletes events, whatever asks for it. Afterwards the rules apply again.
func TestLegalHold(t *testing.T) {
	t.Parallel()
	d := aged(t)
	ctx := t.Context()
	wantCode(t, second(d.Org.Hold(ctx, d.tom, true)), loci.Forbidden)
	d.must(second(d.Org.Hold(ctx, d.owner, true)))
	d.must(second(d.Org.Hold(ctx, d.owner, true)))
	d.retain(loci.EventRetention{Days: 30})
	d.mara.ProvedAt = d.now
	all := oldest + " " + middle + " " + newest
	if got := d.left(); got != all {
		t.Errorf("the rules delete events under hold: got %q", got)
	}
	for name, err := range map[string]error{
		"a person":   d.Identity.DeleteUser(ctx, d.operator, d.mara.UserID),
		"an account": d.Identity.DeleteAccount(ctx, d.mara, d.mara.UserID.String()),
		"an org":     second(d.Org.Delete(ctx, d.operator, "acme")),
		"events":     d.Event.Forget(ctx, "acme", d.mara.UserID),
	} {
		if loci.CodeOf(err) != loci.Conflict || !strings.Contains(err.Error(), "under legal hold") ||
			!strings.HasSuffix(err.Error(), "an owner of the org or an operator of the server ends it: "+
				"loci org hold acme off") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if got := d.left(); got != all {
		t.Errorf("after the deletions: got %q", got)
	}
	if _, err := d.Identity.WhoAmI(ctx, d.mara); err != nil {
		t.Errorf("the person is gone: %v", err)
	}
	d.must(second(d.Org.Hold(ctx, d.operator, false)))
	if got := d.left(); got != newest {
		t.Errorf("after the hold: got %q", got)
	}
	d.must(d.Identity.DeleteUser(ctx, d.operator, d.mara.UserID))
	if got := d.contents(d.tom, event.SearchRequest{}); got != "" {
		t.Errorf("after the deletion: got %q", got)
	}
	trail, err := d.Identity.AuditTrail(ctx, d.operator, identity.AuditQuery{Action: string(org.Hold)})
	d.must(err)
	var targets []string
	for _, row := range trail {
		if row.Allowed {
			targets = append(targets, row.Target)
		}
	}
	if got := strings.Join(targets, " "); got != "off on" {
		t.Errorf("the trail has %q, want off and on once each", got)
	}
}
