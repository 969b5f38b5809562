// Package eval measures how well a search finds the turns of conversations that answer questions. It reads sets of
// conversations with questions, indexes each conversation alone, asks, and computes figures: recall, all@k, MRR and
// nDCG by type of question, each with a bootstrap interval, and what indexing and searching cost. It knows nothing of
// how a search works; product.go connects the search that Loci has.
//
// One rule always holds: a search receives the turns, the text of a question and when it was asked. It never receives
// the turns that answer the question, its type or its id.
package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// Unit is one turn of a conversation.
type Unit struct {
	ID, Session string
	Turn        int
	Speaker     string
	Time        time.Time // zero: unknown
	Text        string
}

// Question asks about a conversation. Only Text and AskedAt may reach a search.
type Question struct {
	Conv, ID, Text, Type string
	Gold                 []string  // the ids of the units that answer it, each once
	AskedAt              time.Time // zero: unknown
	Split                string    // the part of the set that it belongs to; may be empty
}

// Conversation is what one person's store contains, with the questions about it.
type Conversation struct {
	Name      string
	Units     []Unit
	Questions []Question
}

// Set is an ordered list of conversations.
type Set struct {
	Name          string
	Conversations []Conversation
}

// Questions returns how many questions the set has.
func (s Set) Questions() (n int) {
	for _, c := range s.Conversations {
		n += len(c.Questions)
	}
	return n
}

// Only returns the conversations with the questions of one split, without conversations that have none. NotFound if no
// question remains.
func (s Set) Only(split string) (Set, error) {
	out := Set{Name: s.Name}
	for _, c := range s.Conversations {
		c.Questions = slices.DeleteFunc(slices.Clone(c.Questions), func(q Question) bool { return q.Split != split })
		if len(c.Questions) > 0 {
			out.Conversations = append(out.Conversations, c)
		}
	}
	if len(out.Conversations) == 0 {
		return out, loci.Errorf(loci.NotFound, "%s has no question of the split %q", s.Name, split)
	}
	return out, nil
}

// Searcher ranks the units of one conversation, best first, and returns the ids of at most limit of them. If it is an
// io.Closer, Run closes it after the last question.
type Searcher interface {
	Search(ctx context.Context, question string, askedAt time.Time, limit int) ([]string, error)
}

// Build indexes one conversation. size is how many bytes the index takes, or 0 if that is unknown.
type Build func(ctx context.Context, units []Unit) (s Searcher, size int64, err error)

// Options configure Run.
type Options struct {
	Limit int // hits per question; 0: DefaultLimit
}

// These are the limits of Options.Limit. The figures reach down to hit 20.
const (
	LeastLimit   = 20
	DefaultLimit = 50
)

// Cost is what indexing and searching took.
type Cost struct {
	Units     int           `json:"units"`
	IndexTime time.Duration `json:"index_ns"`
	Bytes     int64         `json:"bytes"` // of all indexes; 0: unknown
	P50       time.Duration `json:"p50_ns"`
	P95       time.Duration `json:"p95_ns"`
}

// BytesPerUnit returns the size of the indexes divided by the number of units, or 0 if it is unknown.
func (c *Cost) BytesPerUnit() int64 {
	if c.Units == 0 {
		return 0
	}
	return c.Bytes / int64(c.Units)
}

// Run indexes each conversation alone with build, asks its questions one after the other, and scores the answers. It
// stops at the first error of a build or a search.
func Run(ctx context.Context, set Set, build Build, o Options) (*Result, error) {
	r := &run{limit: o.Limit, total: set.Questions(), ranked: map[string][]string{}}
	r.limit = cmp.Or(r.limit, DefaultLimit)
	for i := range set.Conversations {
		if err := r.conversation(ctx, &set.Conversations[i], build); err != nil {
			return nil, err
		}
	}
	result := Score(set, r.ranked)
	slices.Sort(r.times)
	r.cost.P50, r.cost.P95 = percentile(r.times, 0.50), percentile(r.times, 0.95)
	if result.Cost = &r.cost; r.confidence != (Confidence{}) {
		result.Confidence = &r.confidence
	}
	return result, nil
}

type run struct {
	limit, total int
	ranked       map[string][]string // by id of the question
	times        []time.Duration
	cost         Cost
	confidence   Confidence
}

func (r *run) conversation(ctx context.Context, c *Conversation, build Build) (err error) {
	start := time.Now()
	s, size, err := build(ctx, c.Units)
	if err != nil {
		return fmt.Errorf("index conversation %s: %w", c.Name, err)
	}
	if closer, ok := s.(io.Closer); ok {
		defer func() { err = errors.Join(err, closer.Close()) }()
	}
	r.cost.IndexTime += time.Since(start)
	r.cost.Units += len(c.Units)
	r.cost.Bytes += size
	for _, q := range c.Questions {
		start := time.Now()
		ids, err := s.Search(ctx, q.Text, q.AskedAt, r.limit)
		r.times = append(r.times, time.Since(start))
		r.ranked[q.ID] = ids
		if j, ok := s.(Judge); ok && err == nil {
			var judged []Judged
			if judged, err = j.Judge(ctx, q.Text, q.AskedAt); judged != nil {
				r.confidence.add(&q, ids, judged)
			}
		}
		if err != nil {
			return fmt.Errorf("question %s: %w", q.ID, err)
		}
		loci.ReportProgress(ctx, loci.Progress{Stage: "asking questions", Done: int64(len(r.times)), Total: int64(r.total)})
	}
	return nil
}

func percentile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[min(len(times)-1, int(q*float64(len(times))))]
}
