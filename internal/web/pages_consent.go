package web

import (
	"cmp"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci"
)

// consentForm is the page on which a person allows or denies a client.
func consentForm(v view, d consentPage) g.Node {
	return g.Group{
		h.P(strong("“"+cmp.Or(d.Client.Name, "An unnamed client")+"”"), g.Text(" asks for access to your memory.")),
		aboutClient(v, d),
		g.If(len(d.Workspaces) > 0, g.Group{
			workspaceForm(d.Workspaces, d.Active, hidden("next", d.Query)),
			hint(g.Text("The client will access only this workspace.")),
		}),
		form("/oauth/authorize",
			g.Map(d.Request, func(f field) g.Node { return hidden(f.Name, f.Value) }),
			h.FieldSet(h.Legend(g.Text("Connect this client as")),
				g.If(d.empty(), hint(g.Text("You have no memories here yet, so it will see none."))),
				g.Map(d.Choices, func(c choice) g.Node { return vendorChoice(c, !d.empty()) }), g.If(!d.Fixed, otherChoice())),
			h.FieldSet(h.Legend(g.Text("Permissions")), checks(d.Scopes)),
			h.Div(h.Class("actions"),
				h.Button(h.Name("answer"), h.Value("allow"), g.Text("Allow")), g.Text("\n"),
				h.Button(h.Name("answer"), h.Value("deny"), h.Class("second"), h.FormNoValidate(), g.Text("Deny")))),
		hint(g.Text("It can never see your keys, change your account or delete memories of others. " +
			"You can revoke its access at any time under Connections.")),
	}
}

// aboutClient tells what the client says about itself apart from what is proved.
func aboutClient(v view, d consentPage) g.Node {
	return h.Dl(
		h.Dt(g.Text("Name")), h.Dd(g.Text(cmp.Or(d.Client.Name, "–")+" "),
			h.Span(h.Class("tag warn"), g.Text("self-reported, unverified"))),
		h.Dt(g.Text("Verified")), h.Dd(either(d.Verified != "",
			g.Group{g.Text("it belongs to "), strong(d.Verified)},
			g.Text("nothing: anybody could have sent this request"))),
		h.Dt(g.Text("Sends you to")), h.Dd(strong(d.Host), g.If(d.Local, g.Text(" (a program on your machine)"))),
		h.Dt(g.Text("For")), h.Dd(g.Text(cmp.Or(v.Who.User.Email, "you")+", org "+v.Who.Org.Name)),
	)
}

func workspaceForm(all []loci.Workspace, active loci.WorkspaceID, more ...g.Node) g.Node {
	return form("/app/workspace", h.Class("row"), g.Group(more),
		h.Label(h.For("workspace"), g.Text("Workspace")),
		h.Select(h.ID("workspace"), h.Name("workspace"), g.Map(all, func(w loci.Workspace) g.Node {
			return h.Option(h.Value(w.ID.String()), g.If(w.ID == active, h.Selected()), g.Text(w.Name))
		})),
		second("Switch"))
}

// empty reports whether the counts of the choices tell nothing.
func (d consentPage) empty() bool {
	return !slices.ContainsFunc(d.Choices, func(c choice) bool { return c.Sees+c.Hidden > 0 })
}

func vendorChoice(c choice, counts bool) g.Node {
	name := string(c.Vendor)
	sees := "it will see "
	if c.AtLeast {
		sees += "at least "
	}
	return g.Group{
		hidden("offered", name),
		h.Label(h.Class("check choice"),
			h.Input(h.Type("radio"), h.Name("vendor"), h.Value(name), h.Required(), g.If(c.Checked, h.Checked())),
			h.Span(strong(name), g.If(c.Suggested, g.Group{g.Text(" "), tag("suggested")}),
				g.If(counts, h.Small(g.Text(sees+loci.Plural(c.Sees, "memory", "memories")+
					", but not "+loci.Plural(c.Hidden, "other", "others")))))),
	}
}

// otherChoice takes the name of a vendor that is not in the list.
func otherChoice() g.Node {
	return g.Group{
		h.Label(h.Class("check choice"),
			h.Input(h.Type("radio"), h.Name("vendor"), h.Value(otherVendor), h.Required()),
			h.Span(strong("another"), h.Small(g.Text("type its name; Loci then shows what it will see")))),
		h.Input(h.Name("other"), h.Aria("label", "Name of another vendor"), h.MaxLength("50"), h.AutoComplete("off"),
			g.Attr("autocapitalize", "none"), g.Attr("spellcheck", "false"), h.Placeholder("for example raycast")),
	}
}

func leavePage(host, location string) func(view) g.Node {
	return func(view) g.Node {
		return g.Group{
			h.P(g.Text("Returning to "), strong(host), g.Text(". You can close this window when it is done.")),
			h.P(h.A(h.Class("button"), toClient(location), g.Text("Continue"))),
		}
	}
}
