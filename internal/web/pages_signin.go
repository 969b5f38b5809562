package web

import (
	"cmp"
	"net/url"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci/internal/auth"
)

func signInForm(v view, d proofs) g.Node {
	return g.Group{
		g.If(d.Invited != "", g.Group{
			h.P(g.Text("You already have an account, "), strong(d.Invited), g.Text(". Sign in to accept the invitation.")),
			hint(g.Text("No password yet? Ask for a sign-in link ("), code("loci user link "+d.Invited),
				g.Text("), then open the invitation again.")),
		}),
		form("/app/sign-in",
			hidden("next", d.Next),
			h.Label(h.For("email"), g.Text("E-mail")),
			h.Input(h.ID("email"), h.Name("email"), h.Type("email"), h.AutoComplete("username"), h.Required(),
				h.Value(d.Email), wrong(v)),
			h.Label(h.For("password"), g.Text("Password")),
			password("password", "current-password", wrong(v)),
			h.Button(g.Text("Sign in"))),
		otherProofs(d),
		hint(g.Text("To get an account, ask for an invitation, or ask the operator of this server. On your own machine, "),
			code("loci open"), g.Text(" opens this page signed in, or prints a link that does.")),
	}
}

// wrong marks a field of a form that failed.
func wrong(v view) g.Node {
	return g.If(v.Error != "", g.Group{h.Aria("invalid", "true"), h.Aria("describedby", "error")})
}

// otherProofs are the ways to prove one's identity besides the password.
func otherProofs(d proofs) g.Node {
	return g.Group{
		g.If(d.Passkeys, passkeyForm(d.For, d.Action, second("Use a passkey"), hidden("next", d.Next))),
		g.Map(d.Providers, func(p auth.Provider) g.Node {
			return h.P(h.A(h.Class("button second"), to(address("/app/oidc/"+url.PathEscape(p.ID), "next", d.Next)),
				g.Text("Continue with "+p.Name)))
		}),
		g.If(d.Hint != "", hint(g.Text("Passkeys: "+d.Hint))),
	}
}

// passkeyForm is a form that passkey.js shows where the browser knows passkeys, and fills.
func passkeyForm(purpose, action string, button g.Node, fields ...g.Node) g.Node {
	return form(action, h.Class("passkey"), h.Data("passkey", purpose), g.Attr("hidden"),
		g.Group(fields), hidden("state", ""), hidden("response", ""), button,
		h.P(h.Class("error"), h.Role("alert"), g.Attr("hidden")))
}

// stepUpForm is the page on which a signed-in person proves who they are.
func stepUpForm(v view, d proofs) g.Node {
	mail := v.Who.User.Email
	return g.Group{
		h.P(g.Text("This action requires a proof of identity that is at most five minutes old.")),
		g.If(d.Password, form("/app/step-up",
			hidden("next", d.Next),
			h.Input(h.Type("hidden"), h.Name("username"), h.AutoComplete("username"), h.Value(mail)),
			h.Label(h.For("password"), g.Text("Password"), g.If(mail != "", g.Text(" of "+mail))),
			password("password", "current-password", h.AutoFocus(), wrong(v)),
			h.Button(g.Text("Confirm")))),
		otherProofs(d),
		either(d.Password || d.Passkeys || len(d.Providers) > 0,
			hint(g.Text("If none of this works, open a new one-time link in this browser; it also counts as proof.")),
			onlyLink(v)),
	}
}

// onlyLink helps people who have no sign-in method.
func onlyLink(v view) g.Node {
	how, command := "The operator of this server can print one:",
		"loci user link "+cmp.Or(v.Who.User.Email, v.Who.User.ID.String())
	if v.Who.IsOperator() {
		how, command = "This command opens one, or prints it:", "loci open"
	}
	return g.Group{
		h.P(g.Text("You have no password and no passkey. Open a new one-time link in this browser; " +
			"it also counts as proof. " + how)),
		h.Pre(code(command)),
		h.P(g.Text("Then add a passkey under "), h.A(to(accountAddress), g.Text("Account")), g.Text(".")),
	}
}

func linkForm(token string) func(view) g.Node {
	return func(view) g.Node {
		return g.Group{
			h.P(g.Text("This link signs you in on this browser. It works once.")),
			form("/app/link", hidden("token", token), h.Button(g.Text("Sign in"))),
		}
	}
}

// usedLink is the page of a link that does not work. Its error is in the frame.
func usedLink(signedIn bool) func(view) g.Node {
	return func(view) g.Node {
		return g.Group{
			h.P(g.Text("A link works once, for a short time. For a new one, run "), code("loci open"),
				g.Text(" on the machine with your memories, or ask the person who runs it.")),
			h.P(either(signedIn,
				g.Group{g.Text("You are signed in: "), h.A(to(homePath), g.Text("To your memories"))},
				g.Group{g.Text("Or "), h.A(to("/app/sign-in"), g.Text("sign in another way")), g.Text(".")})),
		}
	}
}

func inviteForm(v view, d *invitation) g.Node {
	team := !d.Invite.TeamID.IsZero()
	return g.Group{
		invitedTo(d),
		h.Ul(
			g.If(team, h.Li(g.Text("All team members and their assistants can read what you share with the team."))),
			h.Li(g.Text("Everyone in a project, and their assistants, can read its knowledge graph, and memories that you "+
				"save with scope project. A new project is yours alone until you share it.")),
			h.Li(g.Text("Everyone in the org, and their assistants, can read sessions and events that are not private.")),
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
