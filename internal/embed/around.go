package embed

import (
	"fmt"
	"math"
)

// around is the post-processor of tokenizer.json: the tokens before and after a text, such as [CLS] and [SEP].
type around struct {
	Type       string   `json:"type"`
	Processors []around `json:"processors"`
	First      [2]any   `json:"cls"` // the token and its id
	Last       [2]any   `json:"sep"`
	Single     []struct {
		Special *struct {
			ID string `json:"id"`
		} `json:"SpecialToken"` // nil: the text
	} `json:"single"`
	Special map[string]struct {
		IDs []int32 `json:"ids"`
	} `json:"special_tokens"`
}

// tokens returns the tokens before and after a text.
func (a *around) tokens() (before, after []int32, err error) {
	if a == nil {
		return nil, nil, nil
	}
	switch a.Type {
	case "Sequence":
		if len(a.Processors) == 1 {
			return a.Processors[0].tokens()
		}
	case "BertProcessing", "RobertaProcessing":
		first, isFirst := a.First[1].(float64)
		last, isLast := a.Last[1].(float64)
		if isFirst && isLast && max(math.Abs(first), math.Abs(last)) < math.MaxInt32 {
			return []int32{int32(first)}, []int32{int32(last)}, nil
		}
	case "TemplateProcessing":
		side := &before
		for _, part := range a.Single {
			if part.Special == nil {
				side = &after
				continue
			}
			*side = append(*side, a.Special[part.Special.ID].IDs...)
		}
		return before, after, nil
	}
	return nil, nil, fmt.Errorf("has a post-processor of the type %q that Loci cannot use", a.Type)
}
