package reflection

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/loci-memory/loci"
)

// kinds are all kinds of candidates. The model knows them by their index; the index after them means none.
var kinds = loci.CandidateKinds()

// The indexes of the kinds in kinds, and none.
const (
	kindDecision = iota
	kindPlan
	kindIdea
	kindClaim
	kindArtifact
	kindProcedure
	kindSession
	kindNone
	kindCount
)

type scores [kindCount]float64

// model is a multinomial logistic regression over features that are there or are not.
type model struct {
	weights   map[string]*scores
	threshold float64 // least probability of a candidate
	slope     float64 // confidence = sigmoid(slope * logit(probability) + offset)
	offset    float64
}

//go:embed weights.txt
var weightsText string

// fitted is the model of weights.txt. TestFit writes that file.
var fitted = sync.OnceValue(func() *model {
	m, err := parseModel(weightsText)
	if err != nil {
		panic(err) // the weights are part of the program
	}
	return m
})

// parseModel reads a model: a line has a feature and its weight for each kind and for none. The lines "threshold",
// "slope" and "offset" have one number.
func parseModel(text string) (*model, error) {
	m := &model{weights: map[string]*scores{}, slope: 1}
	single := map[string]*float64{"threshold": &m.threshold, "slope": &m.slope, "offset": &m.offset}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		var w scores
		for i, f := range fields[1:] {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				return nil, err
			}
			w[i] = v
		}
		if to := single[fields[0]]; to != nil {
			*to = w[0]
			continue
		}
		m.weights[fields[0]] = &w
	}
	return m, nil
}

// rate returns the probabilities of the kinds for features. Priors are added before they are normed.
func (m *model) rate(names []string, priors *scores) scores {
	sum := *priors
	if w := m.weights["bias"]; w != nil {
		for k := range sum {
			sum[k] += w[k]
		}
	}
	for _, n := range names {
		if w := m.weights[n]; w != nil {
			for k := range sum {
				sum[k] += w[k]
			}
		}
	}
	return softmax(sum)
}

// best returns the kind with the highest score, whatever that of none is.
func (s *scores) best() (k int) {
	for other := range kindNone {
		if s[other] > s[k] {
			k = other
		}
	}
	return k
}

func softmax(s scores) scores {
	top, total := slices.Max(s[:]), 0.0
	for k, v := range s {
		s[k] = math.Exp(v - top)
		total += s[k]
	}
	for k := range s {
		s[k] /= total
	}
	return s
}

// confidence returns how often a candidate with this probability is right.
func (m *model) confidence(p float64) float64 {
	p = min(max(p, 1e-6), 1-1e-6)
	return 1 / (1 + math.Exp(-(m.slope*math.Log(p/(1-p)) + m.offset)))
}

// emphases are the kinds that an intent is about, the most important one first.
var emphases = map[loci.Intent][]int{
	loci.IntentBuild:    {kindArtifact, kindPlan, kindDecision},
	loci.IntentPlan:     {kindPlan, kindDecision},
	loci.IntentIdeate:   {kindIdea, kindDecision},
	loci.IntentResearch: {kindClaim, kindArtifact, kindIdea},
	loci.IntentDebug:    {kindClaim, kindProcedure, kindDecision},
	loci.IntentDecide:   {kindDecision, kindPlan},
	loci.IntentLearn:    {kindProcedure, kindClaim},
}

// priorStep is by how much the log-odds of the first emphasised kind grow. The next kinds get half of it.
const priorStep = 0.3

func priorsOf(in loci.Intent) *scores {
	var s scores
	for i, k := range emphases[in] {
		s[k] = priorStep / float64(min(i+1, 2))
	}
	return &s
}

// emphasisOf returns what an intent adds to the confidence of a kind for the order of the candidates: what the session
// was for comes first unless it is much less certain.
func emphasisOf(in loci.Intent) map[loci.CandidateKind]float64 {
	add := map[loci.CandidateKind]float64{}
	for i, k := range emphases[in] {
		add[kinds[k]] = 0.5 / float64(2*i+1)
	}
	return add
}

// reasons returns how many units after a decision are its reason.
func (x *extractor) reasons(k int) int {
	if x.rulings[k].kind != kindDecision || k+1 >= len(x.units) {
		return 0
	}
	next, t := &x.units[k+1], x.traits[k+1]
	if next.block != x.units[k].block || !t.front[cueRationale] || x.rulings[k+1].why != "" {
		return 0
	}
	switch x.rulings[k+1].kind {
	case kindClaim, kindNone:
		return 1
	}
	return one(is(x.toks[next.block][x.body(next)].form, roleConditional) && x.rulings[k+1].kind == kindIdea)
}

// Why says why something was left out.
type Why string

// The reasons for leaving something out.
const (
	WhyQuestion     Why = "question"
	WhyHedge        Why = "hedge"
	WhyUndecided    Why = "not decided"
	WhyHypothetical Why = "hypothetical"
	WhySuperseded   Why = "superseded"
	WhyReported     Why = "reported"
	WhyQuoted       Why = "quoted"
	WhyUnsure       Why = "low confidence"
	WhyLimit        Why = "over the limit"
	WhyInstruction  Why = "instruction-like"
	WhyJoke         Why = "joke"
	WhyTemplate     Why = "template"
	WhyRepeated     Why = "repeated"
)

// ruling is what the rules and the model say about a unit.
type ruling struct {
	scores scores
	kind   int // the best kind that the rules allow, kindNone if none is likely
	p      float64
	banned [kindNone]bool
	why    Why // the strongest reason of a ban
}

func (r *ruling) ban(why Why, kinds ...int) {
	if r.why == "" {
		r.why = why
	}
	for _, k := range kinds {
		r.banned[k] = true
	}
}

func (r *ruling) banIf(holds bool, why Why, kinds ...int) {
	if holds {
		r.ban(why, kinds...)
	}
}

func (r *ruling) banAllBut(why Why, kept ...int) {
	for k := range kindNone {
		if !slices.Contains(kept, k) {
			r.ban(why, k)
		}
	}
}

// judge chooses the kind of a unit: the likeliest one that no rule excludes.
func judge(m *model, u *unit, t *traits, priors *scores) ruling {
	r := ruling{kind: kindNone}
	exclude(&r, u, t)
	r.scores = m.rate(t.names, priors)
	for k := range kindNone {
		if !r.banned[k] && r.scores[k] > r.p {
			r.kind, r.p = k, r.scores[k]
		}
	}
	return r
}

// exclude applies the rules that no score can outweigh.
func exclude(r *ruling, u *unit, t *traits) {
	if t.has(cueInjection) {
		r.banAllBut(WhyInstruction)
		return
	}
	r.banIf(t.template, WhyTemplate, kindDecision, kindPlan, kindIdea, kindClaim, kindSession)
	if u.kind == steps || u.kind == listing {
		r.banAllBut("", kindProcedure)
		return
	}
	r.banIf(t.list == quote, WhyQuoted, kindDecision, kindPlan, kindSession)
	r.banIf(u.quoted, WhyQuoted, kindDecision, kindPlan)
	if t.asks || t.list == unsure {
		excludeQuestion(r, t)
	}
	r.banIf(t.has(cueUndecided) && (t.has(cueNegation) || !t.has(cueDecision)), WhyUndecided, kindDecision)
	hedged := t.front[cueHedge] || t.front[cueIdea] || t.front[cueGuess] || t.has(cueHedge) && !t.front[cueDecision]
	r.banIf(hedged && t.list != todo, WhyHedge, kindDecision)
	r.banIf(t.front[cueHypothetical] || t.front[cueCondition] && t.has(cueHypothetical), WhyHypothetical,
		kindDecision, kindPlan)
	r.banIf(t.has(cueSuperseded) && !t.has(cueReversal), WhySuperseded, kindDecision, kindPlan)
	r.banIf(t.front[cueReported] ||
		t.has(cueReported) && t.has(cueDecision) && t.first[cueReported] < t.first[cueDecision], WhyReported, kindDecision)
	r.banIf(t.front[cueCondition] && !t.has(cueStanding), WhyHypothetical, kindDecision)
	r.banIf(t.list == todo || t.list == done, "", kindDecision, kindIdea)
	r.banIf(t.has(cueJoke), WhyJoke, kindDecision, kindPlan)
}

// excludeQuestion leaves what a question may be: an idea, or a task that somebody is asked to do.
func excludeQuestion(r *ruling, t *traits) {
	if (t.has(cueIdea) || t.has(cueGuess)) && t.list != unsure {
		r.banAllBut(WhyQuestion, kindIdea)
		return
	}
	if t.front[cuePlan] && t.has(cueImperative) {
		r.banAllBut(WhyQuestion, kindPlan, kindIdea)
		return
	}
	r.banAllBut(WhyQuestion)
}
