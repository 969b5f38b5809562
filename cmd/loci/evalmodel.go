package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eval"
	"github.com/loci-memory/loci/internal/reflection"
	"github.com/loci-memory/loci/internal/review"
)

// askModel lets the evaluation also ask the model of the settings. Its tokens count in a directory of their own, so
// that each run has those of a day. done says how many notes the model has read.
func (e *noteEvaluation) askModel(ctx context.Context) (done func(), err error) {
	if !e.settings.asksModel() {
		return nil, loci.FieldErrorf("--model", "needs reflect.base_url (LOCI_REFLECT_BASE_URL), and egress on; set them or "+
			"leave the flag out")
	}
	dir, err := os.MkdirTemp("", "loci-eval-*")
	if err != nil {
		return nil, err
	}
	st, err := openEngine(ctx, dir, e.log, false)
	if err != nil {
		_ = os.RemoveAll(dir) // the error that counts is the other one
		return nil, err
	}
	end := func() { _ = st.Close(); _ = os.RemoveAll(dir) }
	x, err := e.extractor(st)
	if err != nil {
		end()
		return nil, err
	}
	read, without := 0, map[review.NoModel]int{}
	e.extract = func(content, intent string) eval.NoteAnswer {
		found, err := x.Extract(ctx, review.Ask(reflection.Note{Content: content, Intent: loci.Intent(intent)},
			review.Asker{Person: "eval", Caller: "eval"}))
		if err != nil { // ctx ended, which the evaluation sees
			return extractNote(content, intent)
		}
		if found.Without == "" {
			read++
		} else {
			without[found.Without]++
		}
		return answerOf(found.Extraction, content)
	}
	return func() {
		end()
		text := "the model read " + loci.Plural(read, "note", "notes")
		var rest []string
		for _, why := range slices.Sorted(maps.Keys(without)) {
			rest = append(rest, fmt.Sprintf("%d (%s)", without[why], withoutModel[why]))
		}
		if len(rest) > 0 {
			text += "; the rules read alone " + strings.Join(rest, ", ")
		}
		e.note("%s", text)
	}, nil
}
