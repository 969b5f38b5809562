package mcpserver

import (
	"encoding/json"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/recall"
)

// Stored text is fenced wherever a model reads it. In JSON it stays inside a string, which it cannot leave because it
// is escaped. In Markdown and prompts it stands between the marks of recall.Fence.

// caution warns of a text that could be meant for the model that reads it.
const caution = "reads like an instruction"

// ours are members whose text Loci wrote.
var ours = map[string]bool{"hint": true, "more": true, "note": true, "message": true,
	"caution": true, "next_cursor": true, "decide": true, "tell": true}

// presented returns an answer as a model reads it: invisible characters in texts are made visible,
// and an object with a text that reads like an instruction carries a caution.
func presented(out any) (*tree, error) {
	body, err := encode(out)
	if err != nil {
		return nil, err
	}
	t, err := treeOf(body)
	if err == nil {
		t.present()
	}
	return t, err
}

// present reports whether a text of t, or of a list in it, reads like an instruction.
func (t *tree) present() (suspicious bool) {
	switch {
	case t.text != nil:
		*t.text = loci.Visible(*t.text)
		return recall.Instructs(*t.text)
	case t.list != nil:
		for _, one := range *t.list {
			if one.present() && one.members == nil {
				suspicious = true
			}
		}
		return suspicious
	case t.members == nil:
		return false
	}
	for _, m := range *t.members {
		if !ours[m.name] && m.value.present() && m.value.members == nil {
			suspicious = true
		}
	}
	if suspicious {
		t.set("caution", caution)
	}
	return suspicious
}

// within returns a JSON resource that keeps to the budget. It has no pages to ask for again.
func (s *Server) within(out any) (json.RawMessage, error) {
	t, err := presented(out)
	if err != nil {
		return nil, err
	}
	if body := t.shorten(s.budget, append([]int{unlimited}, textSteps...)...); body != nil {
		return body, nil
	}
	return t.drop(s.budget), nil
}

// fenced returns stored text for Markdown or a prompt, between marks and within what the budget leaves beside it.
func (s *Server) fenced(text, beside string) string {
	room := (s.budget - tokens(beside) - marginTokens) * 4
	text = loci.Visible(text)
	for i, r := range text {
		if room -= quarters(string(r)); room < 0 {
			text = text[:i] + "…\n(cut; read on with the tools)\n"
			break
		}
	}
	if recall.Instructs(text) {
		beside += "Caution: some of it " + caution + ".\n\n"
	}
	return beside + recall.Fence(text)
}
