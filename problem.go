package loci

// ProblemKind decides what to do about a Problem.
type ProblemKind string

// The kinds of problems.
const (
	ProblemDamage     ProblemKind = "damage"     // a file is damaged, missing or not the one that belongs there
	ProblemDerived    ProblemKind = "derived"    // an index differs from the rows; a rebuild repairs it
	ProblemEvents     ProblemKind = "events"     // the event log of an org is missing
	ProblemAttachment ProblemKind = "attachment" // the bytes of an attachment are missing or damaged
	ProblemUnwritable ProblemKind = "unwritable" // this user cannot write a file
	ProblemBusy       ProblemKind = "busy"       // another process uses a file
)

// Problem is what a check of stored data found, as a sentence.
type Problem struct {
	Kind ProblemKind
	Text string
}

// Problems returns problems of one kind.
func Problems(kind ProblemKind, texts ...string) (list []Problem) {
	for _, text := range texts {
		list = append(list, Problem{kind, text})
	}
	return list
}
