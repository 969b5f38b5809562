// Package reflection proposes memories from notes. Extract reads raw notes and returns the decisions, plans, ideas,
// claims, artifacts, procedures and checkpoints in them, each with its span, its cue and a calibrated confidence, and a
// list of what looked relevant and was left out.
//
// It works in steps, one file each: blocks (blocks.go), sentences (sentence.go), tokens (token.go), units, which are
// what can become a candidate (units.go), cues (cues.go), features (features.go), the model, its weights and the choice
// of a kind (model.go), then titles, relations and what is left.
//
// The rules exclude (a question is no decision), and a small logistic model chooses among what is left. Its weights are
// in weights.txt. To fit them to the labelled notes in testdata, starting from priors.txt, run
//
//	go test ./internal/reflection -run TestFit -update
//
// and with -cross -v for the figures of cross-validation. The cues are lists of package language, cue-*.txt.
//
// The package calls no service and stores nothing. One rule always holds: the result depends on nothing but the note,
// so the same note gives the same candidates with the same ids.
package reflection
