package web

import (
	"cmp"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

func inviteForm(v view, d *invitation) g.Node {
	team := !d.Invite.TeamID.IsZero()
	return g.Group{
		invitedTo(d),
		h.Ul(
			g.If(team, h.Li(g.Text("All team members and their assistants can read what you share with the team."))),
			h.Li(g.Text("Everyone in a project, and their assistants, can read its knowledge graph, and memories that you "+
				"save with scope project. Unless a project is closed, everyone in the org belongs to it.")),
			h.Li(g.Text("No other person of the org can read anything else that you save."))),
		hint(g.Text("The invitation expires on "), moment(d.Invite.ExpiresAt), g.Text(".")),
		either(v.Who != nil && !d.Mine, forAnother(d), acceptForm(v, d)),
	}
}

func invitedTo(d *invitation) g.Node {
	out := g.Group{strong(cmp.Or(d.Inviter, "Someone")), g.Text(" invites "), strong(d.Invite.Email), g.Text(" to join\n")}
	switch {
	case d.Invite.TeamID.IsZero():
		out = append(out, g.Text("the org "), strong(d.Org.Name), g.Text(" as "+string(d.Invite.OrgRole)+"."))
	case d.Team != "":
		out = append(out, g.Text("the team "), strong(d.Team), g.Text(" of the org "), strong(d.Org.Name), g.Text("."))
	default:
		out = append(out, g.Text("the team of the org "), strong(d.Org.Name), g.Text("."))
	}
	return h.P(out)
}

// forAnother is for somebody who is signed in as another person than the invited one.
func forAnother(d *invitation) g.Node {
	return g.Group{
		h.P(h.Class("error"), h.Role("alert"), g.Text("You are signed in as "+
			cmp.Or(d.Other, "the owner of this machine's memory")+". The invitation is for somebody else.")),
		form("/app/sign-out", hidden("next", d.Next), h.Button(g.Text("Sign out"))),
	}
}

func acceptForm(v view, d *invitation) g.Node {
	return g.Group{
		form("/app/invite", hidden("token", d.Token), h.Button(g.Text("Accept"))),
		g.If(v.Who == nil, hint(g.Text("If you have an account with this address, "),
			h.A(to(address("/app/sign-in", "next", d.Next)), g.Text("sign in")),
			g.Text(" first. Otherwise, accepting creates one."))),
	}
}
