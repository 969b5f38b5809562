package eval

import (
	"cmp"
	"maps"
	"slices"
)

// NoteResult is how well an extractor reads the notes of a set.
type NoteResult struct {
	Set         string        `json:"set"`
	Notes       int           `json:"notes"`
	Kinds       []KindResult  `json:"kinds"` // in the order decision, plan, idea, claim, artifact, procedure, session
	All         KindResult    `json:"all"`
	MacroF1     Figure        `json:"macro_f1"` // the average of the kinds that must be found
	Languages   []Found       `json:"languages"`
	Traps       []Found       `json:"traps"` // Of: notes with the trap; Found: those with a candidate on a forbidden span
	Forbidden   ForbiddenHits `json:"forbidden"`
	Nothing     Found         `json:"nothing_to_keep"` // Found: notes that got candidates all the same
	Secrets     SecretResult  `json:"secrets"`
	Relations   FoundOf       `json:"relations"`
	WrongKind   int           `json:"wrong_kind"` // candidates with the right span and a kind that is not right
	Confusion   []Confusion   `json:"confusion"`  // of spans that match a label of another kind
	Calibration Calibration   `json:"calibration"`
	Pairs       *PairResult   `json:"pairs,omitempty"` // nil if the set has none
	Details     []NoteDetail  `json:"details,omitempty"`
}

// KindResult is the figures of one kind of candidates. Neutral candidates do not count.
type KindResult struct {
	Kind      string `json:"kind"`
	Given     int    `json:"given"`
	Right     int    `json:"right"`
	Must      int    `json:"must"` // labels of which missing one is a fault
	MustFound int    `json:"must_found"`
	Labels    int    `json:"labels"`
	Found     int    `json:"found"`
	Precision Figure `json:"precision"`
	Recall    Figure `json:"recall"` // of those that must be found
	F1        Figure `json:"f1"`     // of the two
}

// RecallAll is which part of all labels is found.
func (k *KindResult) RecallAll() float64 { return ratio(float64(k.Found), float64(k.Labels)) }

// Found is how many of some are found.
type Found struct {
	Name  string `json:"name,omitempty"`
	Found int    `json:"found"`
	Of    int    `json:"of"`
}

// FoundOf is how many of some are found, and how many were given for it.
type FoundOf struct {
	Found int `json:"found"`
	Of    int `json:"of"`
	Given int `json:"given"`
}

// ForbiddenHits are candidates on spans that must not become one.
type ForbiddenHits struct {
	Hits   int            `json:"hits"`
	Spans  int            `json:"spans"` // in the set
	Hard   int            `json:"hard"`  // hits on injected instructions
	ByKind map[string]int `json:"by_kind"`
}

// SecretResult is how many secrets and personal data are found.
type SecretResult struct {
	FoundOf

	TypeRight   int    `json:"type_right"`
	FalseAlarms int    `json:"false_alarms"` // given where no label is
	Recall      Figure `json:"recall"`
}

// Confusion is how often a label of one kind, or a pair, was taken for another.
type Confusion struct {
	Label string `json:"label"`
	Given string `json:"given"`
	Count int    `json:"count"`
}

// Calibration is how the confidence of candidates relates to how many are right.
type Calibration struct {
	Candidates int             `json:"candidates"`
	Brier      Figure          `json:"brier"`
	Constant   float64         `json:"brier_constant"` // if all candidates had the same, best confidence
	ECE        Figure          `json:"ece"`            // over the ten bins
	Bins       []ConfidenceBin `json:"bins"`
}

// ConfidenceBin is the candidates with a confidence of at least From and less than To. The last one includes To.
type ConfidenceBin struct {
	From       float64 `json:"from"`
	To         float64 `json:"to"`
	Candidates int     `json:"candidates"`
	Confidence float64 `json:"confidence"` // average
	Right      float64 `json:"right"`      // which part is right
}

// PairResult is how many pairs are told rightly.
type PairResult struct {
	Pairs   int         `json:"pairs"`
	Strict  Figure      `json:"strict"`
	Lenient Figure      `json:"lenient"` // other labels that are right as well count
	Table   []Confusion `json:"table"`   // without the counts that are 0
}

// NoteDetail is one fault.
type NoteDetail struct {
	Note  string `json:"note"`
	Fault string `json:"fault"` // Missed, Wrong or Forbidden
	Kind  string `json:"kind"`
	Text  string `json:"text"`
}

// These are the faults of NoteDetail.
const (
	Missed    = "missed"
	Wrong     = "wrong"
	Forbidden = "forbidden"
)

// ScoreNotes computes the figures of answers to the notes and pairs of a set. A note or a pair without an answer counts
// as an empty one.
func ScoreNotes(set NoteSet, answers NoteAnswers) *NoteResult {
	s := noteScorer{result: &NoteResult{Set: set.Name, Notes: len(set.Notes), Forbidden: ForbiddenHits{
		ByKind: map[string]int{}}}, languages: map[string]*Found{}, traps: map[string]*Found{},
		confusion: map[Confusion]int{}, total: newNoteSums()}
	for _, kind := range noteKinds {
		s.result.Kinds = append(s.result.Kinds, KindResult{Kind: kind})
	}
	byID := map[string]*NoteAnswer{}
	for i := range answers.Notes {
		byID[answers.Notes[i].ID] = &answers.Notes[i]
	}
	for i := range set.Notes {
		n := &set.Notes[i]
		s.note(matchNote(n, cmp.Or(byID[n.ID], &NoteAnswer{})))
	}
	s.finish()
	if len(set.Pairs) > 0 {
		s.result.Pairs = scorePairs(set.Pairs, answers.Pairs)
	}
	return s.result
}

// finish computes the figures from the sums.
func (s *noteScorer) finish() {
	r := s.result
	figures := intervals(s.rows, s.total)
	r.All.Kind = allTypes
	for i := range r.Kinds {
		k, sums := &r.Kinds[i], s.total.kind(i)
		k.Given, k.Right = int(sums[kindGiven]), int(sums[kindRight])
		k.Must, k.MustFound = int(sums[kindMust]), int(sums[kindMustFound])
		k.Precision, k.Recall, k.F1 = figures[3*i], figures[3*i+1], figures[3*i+2]
		r.All.Given, r.All.Right = r.All.Given+k.Given, r.All.Right+k.Right
		r.All.Must, r.All.MustFound = r.All.Must+k.Must, r.All.MustFound+k.MustFound
		r.All.Labels, r.All.Found = r.All.Labels+k.Labels, r.All.Found+k.Found
	}
	rest := figures[3*len(r.Kinds):]
	r.All.Precision, r.All.Recall, r.All.F1 = rest[0], rest[1], rest[2]
	r.MacroF1, r.Calibration.Brier, r.Calibration.ECE, r.Secrets.Recall = rest[3], rest[4], rest[5], rest[6]
	r.Secrets.Of, r.Secrets.Found = int(*s.total.whole(secrets)), int(*s.total.whole(secretsFound))
	all := make([]float64, ofBin)
	for b := range confidenceBins {
		bin := s.total.bin(b)
		addTo(all, bin)
		r.Calibration.Bins = append(r.Calibration.Bins, ConfidenceBin{float64(b) / confidenceBins,
			float64(b+1) / confidenceBins, int(bin[binGiven]), ratio(bin[binConfidence], bin[binGiven]),
			ratio(bin[binRight], bin[binGiven])})
	}
	r.Calibration.Candidates = int(all[binGiven])
	share := ratio(all[binRight], all[binGiven])
	r.Calibration.Constant = share * (1 - share)
	r.Languages, r.Traps, r.Confusion = sortedFound(s.languages), sortedFound(s.traps), sortedConfusion(s.confusion)
}

func sortedFound(named map[string]*Found) (list []Found) {
	for _, name := range slices.Sorted(maps.Keys(named)) {
		list = append(list, *named[name])
	}
	return list
}

func sortedConfusion(counts map[Confusion]int) (list []Confusion) {
	for c, n := range counts {
		c.Count = n
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Confusion) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Given, b.Given))
	})
	return list
}

func scorePairs(pairs []LabelledPair, answers []PairAnswer) *PairResult {
	given := map[string]string{}
	for _, a := range answers {
		given[a.ID] = a.Relation
	}
	r := &PairResult{Pairs: len(pairs)}
	counts := map[Confusion]int{}
	rows := make([]row, len(pairs))
	for i, p := range pairs {
		answer := cmp.Or(given[p.ID], noAnswer)
		counts[Confusion{Label: p.Label, Given: answer}]++
		strict := answer == p.Label
		lenient := strict || slices.Contains(p.AltLabels, answer)
		rows[i] = row{p.ID, []float64{float64(one(strict)), float64(one(lenient))}}
	}
	spread, _ := resample(rows, 2)
	for i, f := range []*Figure{&r.Strict, &r.Lenient} {
		*f = figureOf(rows, i, spread[i])
	}
	r.Table = sortedConfusion(counts)
	return r
}

// noAnswer stands for a pair without an answer.
const noAnswer = "none"
