package reflection

// Intent is what a session was for. It changes which kinds are likely and which come first.
type Intent string

// The intents.
const (
	IntentBuild    Intent = "build"
	IntentPlan     Intent = "plan"
	IntentIdeate   Intent = "ideate"
	IntentResearch Intent = "research"
	IntentDebug    Intent = "debug"
	IntentDecide   Intent = "decide"
	IntentLearn    Intent = "learn"
	IntentGeneral  Intent = "general"
)

// Intents are all intents.
var Intents = []Intent{IntentBuild, IntentPlan, IntentIdeate, IntentResearch, IntentDebug, IntentDecide, IntentLearn,
	IntentGeneral}

// emphases are the kinds that an intent is about, the most important one first.
var emphases = map[Intent][]int{
	IntentBuild:    {kindArtifact, kindPlan, kindDecision},
	IntentPlan:     {kindPlan, kindDecision},
	IntentIdeate:   {kindIdea, kindDecision},
	IntentResearch: {kindClaim, kindArtifact, kindIdea},
	IntentDebug:    {kindClaim, kindProcedure, kindDecision},
	IntentDecide:   {kindDecision, kindPlan},
	IntentLearn:    {kindProcedure, kindClaim},
}

// priorStep is by how much the log-odds of the first emphasised kind grow. The next kinds get half of it.
const priorStep = 0.3

// priors returns what an intent adds to the scores of the kinds.
func (in Intent) priors() *scores {
	var s scores
	for i, k := range emphases[in] {
		if i == 0 {
			s[k] = priorStep
		} else {
			s[k] = priorStep / 2
		}
	}
	return &s
}

// emphasis returns what an intent adds to the confidence of a kind for the order of the candidates: what the
// session was
// for comes first unless it is much less certain.
func (in Intent) emphasis() map[Kind]float64 {
	add := map[Kind]float64{}
	for i, k := range emphases[in] {
		add[Kinds[k]] = 0.5 / float64(2*i+1)
	}
	return add
}
