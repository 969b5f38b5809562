// Package bymodel is an extractor that asks a model through an OpenAI-compatible endpoint, besides the rules. What the
// model answers is never trusted: it names passages, and each one must be in the notes word for word. Everything else
// about a candidate comes from the rules. If the model cannot or may not be asked, the rules answer alone, and the
// answer is the same as without a model.
//
// One invariant: only the notes without secrets leave the process.
package bymodel

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/loci-memory/loci/internal/chat"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/store"
)

// The defaults and limits of Options.
const (
	DefaultTimeout      = 20 * time.Second
	MaxTimeout          = 50 * time.Second // less than half of the lease of a dream
	DefaultMaxTokens    = 2048
	DefaultTokensPerDay = 200_000

	// MaxInput is how many bytes of notes Loci sends at most.
	MaxInput = 60_000

	maxAnswer = 256 << 10
)

// Options configure an Extractor.
type Options struct {
	Chat chat.Options // Timeout and MaxTokens 0: the defaults above
	// TokensPerDay is how many tokens each person may use on a UTC day; 0: DefaultTokensPerDay. The dream-cycle uses at
	// most half of that.
	TokensPerDay int
	Limits       store.Limits     // required: counts the tokens for all processes together
	Now          func() time.Time // default: time.Now
	Log          *slog.Logger     // default: discard
}

// Extractor asks a model. It is safe for concurrent use.
type Extractor struct {
	o       Options
	client  *chat.Client
	budget  budget
	callers *callers
}

// New returns an Extractor. It fails like chat.New.
func New(o Options) (*Extractor, error) {
	if o.Limits == nil {
		panic("bymodel: no limits") // only main can cause it
	}
	o.Chat.Section = "reflect"
	o.Chat.Timeout = cmp.Or(o.Chat.Timeout, DefaultTimeout)
	o.Chat.MaxTokens = cmp.Or(o.Chat.MaxTokens, DefaultMaxTokens)
	o.Chat.MaxAnswer = maxAnswer
	client, err := chat.New(o.Chat)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Extractor{o, client, budget{limits: o.Limits, perDay: cmp.Or(o.TokensPerDay, DefaultTokensPerDay)},
		newCallers()}, nil
}

// Slow implements review.Extractor.
func (*Extractor) Slow() bool { return true }

// Extract implements review.Extractor. It fails only if ctx ends.
func (e *Extractor) Extract(ctx context.Context, a *review.Asked) (*review.Extracted, error) {
	list, dropped, why := e.propose(ctx, a)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if why != "" {
		x, err := review.Rules{}.Extract(ctx, a)
		if err == nil {
			x.Without = why
		}
		return x, err
	}
	x, refused := reflection.ExtractWith(a.Note, list)
	return &review.Extracted{Extraction: x, Extractor: "model", Dropped: dropped + refused}, nil
}

// propose returns what the model proposes and how much of it was dropped, or why it was not or cannot be asked.
func (e *Extractor) propose(ctx context.Context, a *review.Asked) (list []reflection.Proposal, dropped int,
	why review.NoModel) {
	if len(a.Clean) > MaxInput {
		return nil, 0, review.ModelTooLong
	}
	leave, why := e.callers.enter(ctx, a.Asker, e.o.Now())
	if why != "" {
		return nil, 0, why
	}
	defer func() { leave(why, ctx.Err() == nil, e.o.Now()) }()
	q := question(a)
	share, err := e.budget.reserve(ctx, a, tokens(q.System, q.Prompt)+e.client.MaxTokens, e.o.Now())
	if err != nil {
		e.o.Log.WarnContext(ctx, "cannot count the tokens of the model, so nobody asks it", slog.Any("error", err))
	}
	if share == nil {
		return nil, 0, review.ModelBudget
	}
	answer, err := e.ask(ctx, a.Most, q)
	if err == nil {
		share.spend(ctx, cmp.Or(max(answer.Tokens, 0), tokens(q.System, q.Prompt, answer.Text)))
		list, dropped, err = read(answer.Text, a)
	}
	if err == nil {
		return list, dropped, ""
	}
	why = reason(err)
	if why == review.ModelUnreachable || why == review.ModelRefused {
		share.spend(ctx, 0)
	}
	if ctx.Err() == nil { // else nobody waits any more
		e.o.Log.WarnContext(ctx, "the model has not read notes; the rules answer alone", slog.String("reason", string(why)),
			slog.Any("error", err))
	}
	return nil, 0, why
}

// ask asks the model, and once more if it refuses for now.
func (e *Extractor) ask(ctx context.Context, most time.Duration, q chat.Question) (chat.Answer, error) {
	timeout := e.o.Chat.Timeout
	if most > 0 {
		timeout = min(timeout, most)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answer, err := e.client.Ask(ctx, q)
	var f *chat.Fault
	if errors.As(err, &f) && (f.Status == 429 || f.Status >= 500) && pause(ctx, f.RetryAfter) {
		return e.client.Ask(ctx, q)
	}
	return answer, err
}

// defaultPause is before the second try, if the endpoint does not say how long to wait.
const defaultPause = 250 * time.Millisecond

// pause waits, and returns false if the time of ctx is not enough for that.
func pause(ctx context.Context, d time.Duration) bool {
	if d < 0 {
		d = defaultPause
	}
	if until, ok := ctx.Deadline(); ok && time.Until(until) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// reason returns what an error means to whoever sent the notes.
func reason(err error) review.NoModel {
	var f *chat.Fault
	var slow interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.As(err, &slow) && slow.Timeout():
		return review.ModelTimeout
	case errors.As(err, &f) && f.Status != 0:
		return review.ModelRefused
	case errors.As(err, &f) && f.Unreachable:
		return review.ModelUnreachable
	}
	return review.ModelUnusable
}
