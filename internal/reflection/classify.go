package reflection

import "slices"

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
