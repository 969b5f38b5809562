package eventlogtest

import (
	"fmt"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/eventlog"
)

// positions returns a position of each list that a viewer can get, and a function for each that uses one.
func (e *env) positions(v loci.Viewer) (
	list map[string]eventlog.Position, use map[string]func(eventlog.Position) error) {
	e.Helper()
	list, use = map[string]eventlog.Position{}, map[string]func(eventlog.Position) error{}
	for _, order := range []eventlog.Order{eventlog.Newest, eventlog.Oldest} {
		q := eventlog.Query{Order: order, Limit: 1}
		list[string(order)] = e.find(v, q).Next
		use[string(order)] = func(p eventlog.Position) error {
			q.After = p
			_, err := e.log.Find(e.Context(), v, q)
			return err
		}
	}
	page, err := e.log.Tail(e.Context(), v, "", 1)
	e.wantCode("tail", err, "")
	list["tail"] = page.Next
	use["tail"] = func(p eventlog.Position) error {
		_, err := e.log.Tail(e.Context(), v, p, 1)
		return err
	}
	return list, use
}

// A position counts only in its list of its org, and only unchanged.
func testForeignPositions(e *env) {
	stranger, newcomer := e.person, e.person // the same person would be in other orgs
	stranger.OrgID, newcomer.OrgID = "umbrella", "initech"
	e.crowd(3)
	for _, v := range []loci.Viewer{stranger, stranger, stranger} {
		e.appendOf(v, 0, e.eventOf(v, "theirs"))
	}
	e.stages(func(stage string) {
		mine, _ := e.positions(e.person)
		theirs, use := e.positions(stranger)
		for name, p := range theirs {
			e.wantCode(stage+": their own "+name, use[name](p), "")
		}
		_, useNew := e.positions(newcomer)
		for of, p := range mine {
			for in := range use {
				e.wantCode(fmt.Sprintf("%s: %s of another org as %s", stage, of, in), use[in](p), loci.Invalid)
				e.wantCode(fmt.Sprintf("%s: %s of another org as %s without events", stage, of, in), useNew[in](p), loci.Invalid)
			}
		}
		for of, p := range theirs {
			for in := range use {
				if in != of {
					e.wantCode(fmt.Sprintf("%s: %s as %s", stage, of, in), use[in](p), loci.Invalid)
				}
			}
			for i := range p {
				forged := []byte(p)
				if forged[i]++; forged[i] > 'z' {
					forged[i] = '0'
				}
				err := use[of](eventlog.Position(forged))
				e.wantCode(fmt.Sprintf("%s: %s with another byte %d", stage, of, i), err, loci.Invalid)
			}
		}
	})
}

// The position of a log without events is of its org, too.
func testPositionsOfNothing(e *env) {
	stranger := e.person
	stranger.OrgID = "umbrella"
	_, use := e.positions(e.person)
	theirs, _ := e.positions(stranger)
	e.wantCode("of another org without events", use["tail"](theirs["tail"]), loci.Invalid)
	e.crowd(1)
	e.wantCode("of another org without events, with events", use["tail"](theirs["tail"]), loci.Invalid)
}
