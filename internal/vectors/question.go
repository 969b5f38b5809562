package vectors

import (
	"context"
	"errors"
	"slices"

	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/fair"
)

// asked is a question with its vector. A page after the first asks the same, and so does somebody whose search ended
// before the model answered.
type asked struct {
	model, question string

	leave  func()        // gives back its place
	done   chan struct{} // closed once vector or err is there
	vector []float32
	err    error
}

const (
	// mostAsked is how many questions with their vectors an org keeps.
	mostAsked = 64
	// mostPending is how many questions of an org a model has at a time. One credential has at most half of them. The
	// other half is for the first questions of others. A model that failed last gets one, to find out whether it works
	// again.
	mostPending = 8
)

// ask returns the vector of a question. If ctx ends before the model answers, the call goes on, and the next search
// with this question has its vector: else an endpoint that needs longer than a search would never be of use.
func (o *org) ask(ctx context.Context, m embed.Model, question string) ([]float32, error) {
	a, err := o.begin(ctx, m, question)
	if err != nil {
		return nil, err
	}
	select {
	case <-a.done:
		return a.vector, a.err
	case <-ctx.Done():
		return nil, &embed.Fault{Text: "the model of embeddings has not answered in time; the next search with the same " +
			"question has its answer"}
	}
}

// begin asks the model, unless somebody has asked the same already. It fails at once while the model is left alone.
func (o *org) begin(ctx context.Context, m embed.Model, question string) (*asked, error) {
	name := m.Name()
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := slices.IndexFunc(o.asked, func(a *asked) bool { return a.model == name && a.question == question }); i >= 0 {
		a := o.asked[i]
		o.asked = append(slices.Delete(o.asked, i, i+1), a)
		return a, nil
	}
	if o.Now().Before(o.mute.until) {
		return nil, o.fault
	}
	_, leave, err := o.places.Take(ctx, 1)
	if err == nil && o.mute.next > 0 && len(o.pending) > 0 {
		leave()
		err = fair.ErrBusy
	}
	if err != nil {
		return nil, &embed.Fault{Text: "the model of embeddings has not answered the questions before this one"}
	}
	a := &asked{model: name, question: question, leave: leave, done: make(chan struct{})}
	if o.asked = append(o.asked, a); len(o.asked) > mostAsked {
		o.asked = slices.Delete(o.asked, 0, 1)
	}
	ctx, o.pending[a] = context.WithCancel(context.WithoutCancel(ctx))
	o.asking.Go(func() {
		list, err := m.Embed(ctx, embed.Query, []string{question})
		o.answer(a, list, err)
	})
	return a, nil
}

// answer takes over what a model has answered to a question. After a fault, the model is left alone for a while.
func (o *org) answer(a *asked, list [][]float32, err error) {
	if err == nil && len(list) != 1 {
		err = errOtherNumber
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	defer close(a.done)
	o.pending[a]()
	a.leave()
	delete(o.pending, a)
	if err == nil {
		a.vector = list[0]
		o.mute = pause{}
		o.learn(a.model, len(a.vector))
		return
	}
	a.err = err
	o.asked = slices.DeleteFunc(o.asked, func(x *asked) bool { return x == a })
	if fault := (*embed.Fault)(nil); !errors.As(err, &fault) || !fault.Refused && !fault.Loading {
		o.silence(err)
	}
}

// silence leaves the model alone with questions for a while. Those that fail together are one fault. The caller has the
// lock.
func (o *org) silence(err error) {
	if now := o.Now(); !now.Before(o.mute.until) {
		o.mute.after(now, err)
		o.fault = err
	}
}

// pauseQuestions does so if an endpoint asks, in the background, to be left alone.
func (o *org) pauseQuestions(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if fault := (*embed.Fault)(nil); errors.As(err, &fault) && fault.RetryAfter > 0 {
		o.silence(err)
	}
}

// learn notes the dimensions of a model. Those of a question from before are of no use if they have changed. The caller
// has the lock.
func (o *org) learn(model string, dims int) {
	o.dims[model] = dims
	o.asked = slices.DeleteFunc(o.asked, func(a *asked) bool {
		return a.model == model && a.vector != nil && len(a.vector) != dims
	})
}

// stop ends the questions that no model has answered yet.
func (o *org) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, cancel := range o.pending {
		cancel()
	}
}
