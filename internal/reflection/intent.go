package reflection

import "github.com/loci-memory/loci"

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
		if i == 0 {
			s[k] = priorStep
		} else {
			s[k] = priorStep / 2
		}
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
