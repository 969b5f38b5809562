package review

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
	"github.com/loci-memory/loci/internal/recall"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/store"
)

// gather makes candidates of events and notes that the dream-cycle has not read.
func (d *dreaming) gather(ctx context.Context) error {
	if err := d.openLog(ctx); err != nil {
		return err
	}
	if d.log != nil {
		if err := d.gatherEvents(ctx); err != nil {
			return err
		}
	}
	return d.gatherNotes(ctx)
}

// openLog finds the log of events, if the org has one.
func (d *dreaming) openLog(ctx context.Context) error {
	if d.dreams.Events == nil {
		return nil
	}
	log, err := d.dreams.Events(ctx, d.org)
	if loci.CodeOf(err) == loci.Unavailable {
		return nil
	}
	d.log = log
	return err
}

// gatherEvents reads new events, and then those from before the first run, the newest first.
func (d *dreaming) gatherEvents(ctx context.Context) error {
	if d.progress.Events == "" {
		if err := d.beginEvents(ctx); err != nil {
			return err
		}
	}
	for more := true; more; {
		if d.full() {
			return nil
		}
		c, err := d.log.Changed(ctx, d.org, eventlog.Position(d.progress.Events), d.batch())
		if loci.CodeOf(err) == loci.Conflict { // it does not know the place any more; candidates that are there stay
			if err = d.beginEvents(ctx); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
		list := slices.DeleteFunc(c.Events, func(e *loci.Event) bool { return slices.Contains(c.Gone, e.ID) })
		more = c.More
		if len(list) == 0 && string(c.Next) == d.progress.Events {
			break
		}
		err = d.propose(ctx, list, func(p *store.DreamProgress) { p.Events = string(c.Next) })
		if err != nil {
			return err
		}
	}
	for d.progress.Behind && !d.full() {
		list, next, err := d.log.Walk(ctx, d.org, eventlog.Newest, eventlog.Position(d.progress.Older), d.batch())
		if err != nil {
			return err
		}
		err = d.propose(ctx, list, func(p *store.DreamProgress) { p.Older, p.Behind = string(next), next != "" })
		if err != nil {
			return err
		}
	}
	return nil
}

// beginEvents lets the run read everything in the log.
func (d *dreaming) beginEvents(ctx context.Context) error {
	end, err := d.log.End(ctx, d.org)
	if err != nil {
		return err
	}
	return d.save(ctx, func(store.Tx, *loci.Dream) error {
		d.progress.Events, d.progress.Behind, d.progress.Older = string(end), true, ""
		return nil
	})
}

// batch returns how many events the run reads at once. A slow extractor gets few, so that the run ends in time.
func (d *dreaming) batch() int {
	if d.extract.Slow() && !d.dry {
		return slowBatch
	}
	return dreamBatch
}

// hold renews the lease if a slow extractor has used up half of it.
func (d *dreaming) hold(ctx context.Context) error {
	if d.dry || d.progress.Until.Sub(d.Time()) > dreamLease/2 {
		return nil
	}
	return d.save(ctx, func(store.Tx, *loci.Dream) error { return nil })
}

// asker returns for whom an extractor reads something with these readers. Nobody waits for its answer longer than the
// run may take.
func (d *dreaming) asker(at *loci.EventAccess) Asker {
	return Asker{Person: personOf(d.org, at.UserID), Caller: "dream/" + string(d.org), Dream: true,
		Most: max(d.until.Sub(d.Time()), time.Millisecond)}
}

// leastAsked is the least time in which it is worth asking a slow extractor.
const leastAsked = time.Second

// find works like Service.find. In a dry run the rules read alone, because a model promotes nothing. So they do if the
// rest of the run is too short for a slow extractor: its answer would come too late, and would count as its failure.
func (d *dreaming) find(ctx context.Context, r *reading) error {
	s := d.Service
	if s.extract.Slow() && (d.dry || r.asker.Most < leastAsked) {
		hurried := *s
		hurried.extract = Rules{}
		s = &hurried
	}
	return s.find(ctx, r)
}

// full reports whether the run has to leave the rest of the events to the next one.
func (d *dreaming) full() bool {
	full := d.receipt.Events >= dreamEvents || d.late()
	d.receipt.More = d.receipt.More || full
	return full
}

// propose stores the candidates of events and how far the run has come, in one transaction.
func (d *dreaming) propose(ctx context.Context, events []*loci.Event, advance func(*store.DreamProgress)) error {
	list, failed, err := candidatesOf(ctx, d, events, d.ofEvent, func(e *loci.Event, err error) {
		d.Log.WarnContext(ctx, "the dream-cycle cannot read an event", slog.String("event", e.ID.String()),
			slog.Any("error", err))
	})
	if err != nil {
		return err
	}
	return d.keep(ctx, list, func(p *store.DreamProgress, next *loci.Dream) {
		advance(p)
		next.Events += len(events)
		next.Failed += failed
	})
}

// candidatesOf returns the candidates of events or notes, and how many of these it could not read. It calls warn for
// each of them.
func candidatesOf[T any](ctx context.Context, d *dreaming, list []T, of func(context.Context, T) ([]*loci.Candidate,
	error), warn func(T, error)) (found []*loci.Candidate, failed int, err error) {
	for _, one := range list {
		if err := d.hold(ctx); err != nil {
			return nil, 0, err
		}
		some, err := of(ctx, one)
		switch {
		case ctx.Err() != nil:
			return nil, 0, ctx.Err()
		case err != nil:
			failed++
			warn(one, err)
		}
		found = append(found, some...)
	}
	return found, failed, nil
}

// keep stores those candidates that are not there, and what count changes, in one transaction.
func (d *dreaming) keep(ctx context.Context, list []*loci.Candidate,
	count func(*store.DreamProgress, *loci.Dream)) error {
	before := d.progress
	err := d.save(ctx, func(tx store.Tx, next *loci.Dream) error {
		d.progress = before
		count(&d.progress, next)
		if tx == nil {
			d.proposed = append(d.proposed, list[:min(len(list), max(0, dreamCandidates-len(d.proposed)))]...)
			next.Proposed += len(list)
			return nil
		}
		for _, c := range list {
			if err := toSession(ctx, tx, &c.EventAccess, c.SessionID); err != nil {
				return err
			}
			added, err := tx.Candidates().InsertNew(ctx, c)
			if err != nil && loci.CodeOf(err) != loci.NotFound { // the person is gone
				return err
			}
			if added {
				next.Proposed++
			}
		}
		return nil
	})
	if err != nil {
		d.progress = before
		return err
	}
	loci.ReportProgress(ctx, loci.Progress{Stage: "reading events of " + string(d.org), Done: int64(d.receipt.Events)})
	return nil
}

// ofMachines reports whether an event of this type is the output of a program. Nobody says anything in it.
func ofMachines(kind string) bool {
	kind = strings.ToLower(kind)
	return kind == "tool" || strings.HasPrefix(kind, "tool_") || strings.HasPrefix(kind, "tool.") ||
		slices.Contains([]string{"session_start", "session_end", "log", "trace", "metric", "heartbeat"}, kind)
}

// ofEvent returns the candidates of an event. They are visible like the event.
func (d *dreaming) ofEvent(ctx context.Context, e *loci.Event) ([]*loci.Candidate, error) {
	if ofMachines(e.Type) || strings.TrimSpace(e.Content) == "" {
		return nil, nil
	}
	at := &place{EventAccess: e.EventAccess, session: e.SessionID}
	at.OrgID, at.AllowedVendors = d.org, slices.Clone(e.AllowedVendors)
	r := &reading{at: at, event: e.ID, asker: d.asker(&e.EventAccess), notes: &Notes{Content: e.Content,
		SourceTitle: "Event: " + e.Type, Intent: loci.IntentGeneral, Limit: perEvent}}
	if err := d.find(ctx, r); err != nil {
		return nil, err
	}
	r.logged(d.Service, e)
	list := r.candidates()
	for _, c := range list {
		setSource(c, e.ID.String())
		for i := range c.Evidence {
			c.Evidence[i].EventID = e.ID.String()
		}
	}
	return list, nil
}

// candidates returns what was found. If any part of the notes gives orders to a model, all of them are quarantined.
func (r *reading) candidates() (list []*loci.Candidate) {
	orders := recall.Instructs(r.notes.Content)
	for _, c := range r.list {
		if orders {
			c.SensitivityFlags = loci.Unique(append(c.SensitivityFlags, flagInstruction))
		}
		if c.Validate() == nil {
			list = append(list, c.Candidate)
		}
	}
	return list
}

// maxLogged is how many bytes an event has at most that is a candidate as a whole.
const maxLogged = 2_000

// logged reads what the writer of an event says that it is. If the extractor has not found that, the whole text takes
// the place of what the rules took it for: the kind of the writer wins.
func (r *reading) logged(s *Service, e *loci.Event) {
	kind, confidence := loci.CandidateDecision, 0.85
	switch {
	case len(e.Content) > maxLogged:
		return
	case e.Class == loci.EventEntity:
		kind, confidence = loci.CandidateClaim, 0.75
	case e.Class != loci.EventDecision:
		return
	}
	var stated struct {
		Confidence *float64 `json:"confidence"`
	}
	if json.Unmarshal(e.Metadata, &stated) == nil && stated.Confidence != nil {
		confidence = min(confidence, max(0, *stated.Confidence))
	}
	there := false
	for _, c := range r.list {
		if c.Kind == kind && !c.ByModel() {
			c.Confidence, there = max(c.Confidence, confidence), true
		}
	}
	if !there {
		r.list = slices.DeleteFunc(r.list, func(c *proposal) bool { return !c.ByModel() })
		r.list = append(r.list, &proposal{Candidate: r.candidate(s, whole(e, kind, confidence))})
	}
}

// whole returns the whole text of an event as a candidate.
func whole(e *loci.Event, kind loci.CandidateKind, confidence float64) *reflection.Candidate {
	text := strings.TrimSpace(e.Content)
	start := strings.Index(e.Content, text)
	c := &reflection.Candidate{ID: "whole/" + string(kind), Kind: kind, Confidence: confidence,
		Title: loci.Shorten(loci.OneLine(text), maxWholeTitle), Content: text, Reason: "Its writer logged it as a decision.",
		Span: reflection.Span{Start: start, End: start + len(text), RuneStart: utf8.RuneCountInString(e.Content[:start])}}
	c.RuneEnd = c.RuneStart + utf8.RuneCountInString(text)
	if kind == loci.CandidateClaim {
		c.Reason = "Its writer logged it as a fact about a person, a tool or a system."
	}
	return c
}

const maxWholeTitle = 86

// gatherNotes makes candidates of stored notes from which none come.
func (d *dreaming) gatherNotes(ctx context.Context) error {
	for !d.full() {
		var list []*loci.Reflection
		var last int64
		err := d.Store.View(ctx, d.org, func(tx store.Tx) (err error) {
			list, last, err = tx.Reflections().Unread(ctx, d.progress.Notes, perEvent)
			return err
		})
		if err != nil || last == d.progress.Notes {
			return err
		}
		found, failed, err := candidatesOf(ctx, d, list, d.ofNotes, func(n *loci.Reflection, err error) {
			d.Log.WarnContext(ctx, "the dream-cycle cannot read notes", slog.String("notes", n.ID.String()),
				slog.Any("error", err))
		})
		if err != nil {
			return err
		}
		err = d.keep(ctx, found, func(p *store.DreamProgress, next *loci.Dream) {
			p.Notes = last
			next.Notes += len(list)
			next.Failed += failed
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ofNotes returns the candidates of stored notes. Their evidence is where it was in the notes as submitted.
func (d *dreaming) ofNotes(ctx context.Context, n *loci.Reflection) ([]*loci.Candidate, error) {
	at := &place{EventAccess: n.EventAccess, session: n.SessionID, tasks: n.TaskIDs}
	r := &reading{at: at, asker: d.asker(&n.EventAccess), notes: &Notes{Content: n.Text, SourceTitle: n.Title,
		Intent: n.Intent, Domain: n.Domain, Limit: loci.DefaultCandidates}}
	if err := d.find(ctx, r); err != nil {
		return nil, err
	}
	list := r.candidates()
	for _, c := range list {
		c.SourceID = n.ID
		setSource(c, n.ID.String())
		for i := range c.Evidence {
			e := &c.Evidence[i]
			start, end := submitted(n, e.Start), submitted(n, e.End)
			e.CharStart, e.CharEnd = e.CharStart+start-e.Start, e.CharEnd+end-e.End
			e.Start, e.End = start, end
		}
	}
	return list, nil
}

// submitted is the inverse of stored: it returns the place in the notes as submitted of a place in the stored text.
func submitted(n *loci.Reflection, at int) int {
	shift := 0
	for _, r := range n.Redacted {
		switch {
		case at <= r.At:
			return at - shift
		case at < r.At+r.Width:
			return r.Start
		}
		shift = r.At + r.Width - r.End
	}
	return at - shift
}
