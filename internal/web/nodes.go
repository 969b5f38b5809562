package web

import (
	"net/url"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci/internal/auth/oauth"
)

// to is where a link leads: to one of this site's own pages, whatever the address is made of.
// A test keeps every other link and form from having an address of its own.
func to(address string) g.Node { return h.Href(safeNext(address)) }

// toClient is where the link back to an OAuth client leads, the one link to elsewhere. The scheme was checked when
// the client was registered: https, http on this machine, or an app's own, which can be any name. Nothing here
// depends on that: a scheme that a browser would run leads home.
func toClient(location string) g.Node {
	u, err := url.Parse(location)
	if err != nil || !oauth.MayOpen(u.Scheme) {
		location = homePath
	}
	return h.Href(location)
}

// form sends its fields to one of this site's own pages.
func form(action string, children ...g.Node) g.Node {
	return h.Form(h.Method("post"), h.Action(safeNext(action)), g.Group(children))
}

func hidden(name, value string) g.Node {
	return h.Input(h.Type("hidden"), h.Name(name), h.Value(value))
}

// second is the button of what a page offers besides its main effect.
func second(label string) g.Node { return h.Button(h.Class("second"), g.Text(label)) }

func hint(children ...g.Node) g.Node { return h.P(h.Class("hint"), g.Group(children)) }

func tag(text string) g.Node { return h.Span(h.Class("tag"), g.Text(text)) }

func strong(text string) g.Node { return h.Strong(g.Text(text)) }

func code(text string) g.Node { return h.Code(g.Text(text)) }

// either is yes or no.
func either(condition bool, yes, no g.Node) g.Node {
	if condition {
		return yes
	}
	return no
}

func moment(t time.Time) g.Node {
	return h.Time(h.DateTime(t.UTC().Format(time.RFC3339)), g.Text(when(t)))
}

func when(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format("2 Jan 2006, 15:04 UTC")
}

// password is the field of a password. autocomplete tells password managers which one.
func password(id, autocomplete string, more ...g.Node) g.Node {
	return h.Input(h.ID(id), h.Name(id), h.Type("password"), h.AutoComplete(autocomplete), h.Required(), g.Group(more))
}

func checks(rights []scope) g.Node {
	return g.Map(rights, func(s scope) g.Node {
		return h.Label(h.Class("check"),
			h.Input(h.Type("checkbox"), h.Name("scope"), h.Value(string(s.Right)), g.If(s.Checked, h.Checked())),
			h.Span(g.Text(s.Label+" "), code(string(s.Right))))
	})
}
