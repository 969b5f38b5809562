package bymodel_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/bymodel"
)

// extract asks for a caller, and returns why no model answered.
func (w *world) extract(ctx context.Context, by review.Asker, content string) review.NoModel {
	w.t.Helper()
	x, err := w.e.Extract(ctx, &review.Asked{Note: reflection.Note{Content: content}, Clean: content, Asker: by})
	if err != nil {
		w.t.Error(err)
		return "error"
	}
	return x.Without
}

func TestTokensOfADay(t *testing.T) {
	t.Parallel()
	const perDay = 10_000
	w := newWorld(t, says(candidates(nil), 4000), func(o *bymodel.Options) { o.TokensPerDay = perDay })
	ada, claude := review.Asker{Person: "ada", Caller: "ada's key"}, review.Asker{Person: "ada", Caller: "claude"}
	ben := review.Asker{Person: "ben", Caller: "ben's key"}
	night := review.Asker{Person: "cleo", Caller: "dream", Dream: true}
	for i, step := range []struct {
		by   review.Asker
		want review.NoModel
	}{
		{ada, ""}, {claude, ""}, {ada, review.ModelBudget}, {claude, review.ModelBudget}, {ben, ""},
		{night, ""}, {night, review.ModelBudget}, {review.Asker{Person: "cleo", Caller: "cleo's key"}, ""},
	} {
		if got := w.extract(t.Context(), step.by, notes); got != step.want {
			t.Errorf("step %d: %+v gets %q, want %q", i, step.by, got, step.want)
		}
	}
	if w.asked() != 5 {
		t.Errorf("asked %d times", w.asked())
	}
	w.must(w.options.Limits.Purge(t.Context(), w.clock())) // as every hour
	other, err := bymodel.New(w.options)                   // another process on the same store
	w.must(err)
	w.e = other
	if got := w.extract(t.Context(), ada, notes); got != review.ModelBudget {
		t.Errorf("another process: %q", got)
	}
	w.pass(12 * time.Hour)
	if got := w.extract(t.Context(), ada, notes); got != "" {
		t.Errorf("the next day: %q", got)
	}
}

// A call that was refused costs nothing. One that may have been answered costs what it may have used.
func TestTokensOfFailures(t *testing.T) {
	t.Parallel()
	by := review.Asker{Person: "ada", Caller: "key"}
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want review.NoModel // of the fourth call
	}{
		{"refused", status(401, ""), review.ModelRefused}, {"unusable", says("no", 0), ""},
		{"unusable, and dear", says("no", 9000), review.ModelBudget},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.h, func(o *bymodel.Options) { o.TokensPerDay = 8000 })
			var got review.NoModel
			for range 4 {
				got = w.extract(t.Context(), by, notes)
				w.pass(2 * time.Minute) // so that it does not rest
			}
			if tt.want == "" {
				tt.want = review.ModelUnusable
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNobodyWaitsForOthers(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(out http.ResponseWriter, r *http.Request) {
		body := make([]byte, 1<<16)
		n, _ := r.Body.Read(body)
		if strings.Contains(string(body[:n]), "wait here") {
			entered <- struct{}{}
			<-release
		}
		picks()(out, r)
	})
	ada, ben := review.Asker{Person: "ada", Caller: "ada"}, review.Asker{Person: "ben", Caller: "ben"}
	done := make(chan review.NoModel)
	for range 2 {
		go func() { done <- w.extract(t.Context(), ada, "Please wait here.") }()
		<-entered
	}
	if got := w.extract(t.Context(), ada, notes); got != review.ModelBusy {
		t.Errorf("a third call at once: %q", got)
	}
	if got := w.extract(t.Context(), ben, notes); got != "" {
		t.Errorf("another caller meanwhile: %q", got)
	}
	close(release)
	for range 2 {
		if got := <-done; got != "" {
			t.Errorf("a call that others overtook: %q", got)
		}
	}
	if got := w.extract(t.Context(), ada, notes); got != "" {
		t.Errorf("after that: %q", got)
	}
}

// TestNobodyTakesAllPlaces lets a person ask with many keys at once.
func TestNobodyTakesAllPlaces(t *testing.T) {
	t.Parallel()
	const places, ofPerson = 32, 4
	entered, release := make(chan struct{}, places), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	w := newWorld(t, func(out http.ResponseWriter, r *http.Request) {
		entered <- struct{}{}
		<-release
		picks()(out, r)
	}, func(o *bymodel.Options) { o.TokensPerDay = 1 << 30 })
	done := make(chan review.NoModel, places)
	by := func(person, key int) review.Asker {
		return review.Asker{Person: fmt.Sprint(person), Caller: fmt.Sprint(person, "/", key)}
	}
	for i := range places {
		go func() { done <- w.extract(t.Context(), by(i/ofPerson, i%ofPerson), notes) }()
		<-entered
		if i%ofPerson != ofPerson-1 {
			continue
		}
		if got := w.extract(t.Context(), by(i/ofPerson, ofPerson), notes); got != review.ModelBusy {
			t.Fatalf("call %d of person %d at once: %q", ofPerson+1, i/ofPerson, got)
		}
	}
	if got := w.extract(t.Context(), by(places, 0), notes); got != review.ModelBusy {
		t.Errorf("call %d: %q", places+1, got)
	}
	free()
	for range places {
		if got := <-done; got != "" {
			t.Errorf("a call within the limits: %q", got)
		}
	}
	for i := range ofPerson + 1 {
		if got := w.extract(t.Context(), by(0, i), notes); got != "" {
			t.Errorf("call %d after that: %q", i, got)
		}
	}
}

func TestRestAfterFailures(t *testing.T) {
	t.Parallel()
	code := 401
	w := newWorld(t, func(out http.ResponseWriter, r *http.Request) {
		if code == 200 {
			picks()(out, r)
			return
		}
		status(code, "")(out, r)
	})
	ada, ben := review.Asker{Person: "ada", Caller: "ada"}, review.Asker{Person: "ben", Caller: "ben"}
	expect := func(by review.Asker, want review.NoModel, asked int) {
		t.Helper()
		before := w.asked()
		if got := w.extract(t.Context(), by, notes); got != want || w.asked()-before != asked {
			t.Errorf("got %q after %d requests, want %q after %d", got, w.asked()-before, want, asked)
		}
	}
	for range 3 {
		expect(ada, review.ModelRefused, 1)
	}
	expect(ada, review.ModelFailing, 0)
	expect(ben, review.ModelRefused, 1)
	w.pass(time.Minute)
	expect(ada, review.ModelRefused, 1)
	w.pass(time.Minute)
	expect(ada, review.ModelFailing, 0)
	w.pass(time.Minute)
	code = 200
	expect(ada, "", 1)
	code = 401
	expect(ada, review.ModelRefused, 1)
	expect(ada, review.ModelRefused, 1)
}

// A caller that does not wait for the answer pays for it, and the model is not to blame.
func TestCallerLeaves(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	w := newWorld(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case entered <- struct{}{}:
		case <-r.Context().Done():
		}
		<-r.Context().Done()
	}, func(o *bymodel.Options) { o.TokensPerDay = 3 * bymodel.DefaultMaxTokens })
	by := review.Asker{Person: "ada", Caller: "ada"}
	ask := func() error {
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-entered; cancel() }()
		_, err := w.e.Extract(ctx, &review.Asked{Note: reflection.Note{Content: notes}, Clean: notes, Asker: by})
		return err
	}
	for range 2 {
		if err := ask(); err == nil {
			t.Error("an answer for nobody")
		}
	}
	if got := w.extract(t.Context(), by, notes); got != review.ModelBudget {
		t.Errorf("then: %q", got)
	}
}
