package main

import (
	"github.com/loci-memory/loci"
)

// printEntities writes entities as trees: what is observed of each, then where
// its relations lead. ids puts the ids before the lines.
func (p *program) printEntities(list []loci.Entity, ids bool) {
	id := func(s string) string {
		if ids {
			return s + "  "
		}
		return ""
	}
	for i := range list {
		e := &list[i]
		p.printf("%s%s (%s)\n", id(e.ID.String()), loci.OneLine(e.Name), loci.OneLine(e.Type))
		p.printLeft(e.ObservationsLeft, "observations")
		for _, o := range e.Observations {
			p.printf("  %s- %s\n", id(o.ID.String()), loci.OneLine(o.Content))
		}
		p.printLeft(e.RelationsLeft, "relations")
		for _, r := range e.Relations {
			p.printf("  %s%s\n", id(r.ID.String()), seenFrom(e, r))
		}
	}
}

func (p *program) printLeft(n int, what string) {
	if n > 0 {
		p.printf("  (%d older %s; `loci graph export` has all)\n", n, what)
	}
}

// seenFrom is a relation as a line below one of its ends.
func seenFrom(e *loci.Entity, r loci.Relation) string {
	if r.FromID == e.ID {
		return "→ " + loci.OneLine(r.Type) + " → " + loci.OneLine(r.To)
	}
	return "← " + loci.OneLine(r.Type) + " ← " + loci.OneLine(r.From)
}

func relationText(r loci.Relation) string {
	return loci.OneLine(r.From) + " → " + loci.OneLine(r.Type) + " → " + loci.OneLine(r.To)
}

// idsFlag is the same for all that print entities.
const idsText = "print the ids, too; restore and vendors take them"
