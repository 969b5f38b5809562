package web

import (
	"cmp"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci"
)

// accountCards is the page of the account.
func accountCards(v view, d accountPage) g.Node {
	u := v.Who.User
	team := g.Text("none")
	if v.Who.Team != nil {
		team = g.Group{g.Text(v.Who.Team.Name + " "), tag(string(u.TeamRole))}
	}
	return g.Group{
		h.Dl(
			h.Dt(g.Text("Name")), h.Dd(g.Text(cmp.Or(u.Name, "–"))),
			h.Dt(g.Text("E-mail")), h.Dd(g.Text(cmp.Or(u.Email, "none (this is the owner of this machine's memory)"))),
			h.Dt(g.Text("Org")), h.Dd(g.Text(v.Who.Org.Name+" "), tag(string(u.OrgRole))),
			h.Dt(g.Text("Team")), h.Dd(team)),
		g.If(len(d.Workspaces) > 0, workspaceForm(d.Workspaces, d.Active)),
		h.Ul(h.Class("cards"),
			card("/app/connections", "Connections", "Assistants that you allowed to read and write your memory"),
			card("/app/keys", "Keys", "For scripts, and for agents that cannot use OAuth"),
			card("/app/sign-ins", "Sign-ins", "Browsers on which you are signed in"),
			card(methodsPath, "Sign-in methods", "Your password and passkeys")),
	}
}

func card(path, name, text string) g.Node {
	return h.Li(h.A(to(path), g.Text(name)), h.Span(g.Text(text)))
}

// signInRows is the page of the browsers on which a person is signed in.
func signInRows(list []loci.Credential, current loci.CredentialID) func(view) g.Node {
	return func(view) g.Node {
		return g.Group{
			h.P(g.Text("You are signed in on these browsers. End any sign-in that you do not recognise.")),
			h.Ul(h.Class("list"), g.Map(list, func(c loci.Credential) g.Node {
				used := g.Text("at sign-in")
				if !c.LastUsedAt.IsZero() {
					used = moment(c.LastUsedAt)
				}
				return h.Li(
					h.Div(strong(c.Name), g.If(c.ID == current, g.Group{g.Text(" "), tag("this browser")}), g.Text("\n"),
						h.Small(g.Text("signed in "), moment(c.CreatedAt), g.Text(" · last used "), used)),
					form("/app/sign-ins/end", hidden("id", c.ID.String()),
						h.Button(h.Class("second"), h.Aria("label", "End the sign-in on "+c.Name), g.Text("End"))))
			})),
			form("/app/sign-ins/end-others", second("End all other sign-ins")),
		}
	}
}

// methodForms is the page of the password and the passkeys.
func methodForms(v view, d signInMethods) g.Node {
	return g.Group{
		g.If(!d.Fresh, h.P(g.Text("To change your sign-in methods, "),
			h.A(to("/app/step-up?next="+methodsPath), g.Text("confirm that it is you")), g.Text("."))),
		h.H2(g.Text("Password")),
		h.P(g.Text(pick(d.Password, "Your account has a password.", "Your account has no password."))),
		g.If(!d.HasEmail, g.Group{
			h.P(g.Text("A password requires an e-mail address. The operator of this server can set one on the command line:")),
			h.Pre(code("loci user set " + v.Who.User.ID.String() + " --email you@example.org")),
			hint(g.Text("A passkey requires no address.")),
		}),
		g.If(d.Fresh && d.HasEmail, passwordForm(d.Password)),
		g.If(d.Fresh && d.Password, form("/app/sign-in-methods/password/remove",
			h.Button(h.Class("second danger"), g.Text("Remove password")))),
		h.H2(g.Text("Passkeys")),
		either(len(d.Passkeys) > 0, passkeyRows(d), h.P(g.Text("Your account has no passkeys."))),
		g.If(d.Fresh && d.CanAdd, g.Group{
			passkeyForm("create", "register", "/app/sign-in-methods/passkeys", h.Button(g.Text("Add a passkey")),
				h.Label(h.For("name"), g.Text("Name of the passkey")),
				h.Input(h.ID("name"), h.Name("name"), h.Required(), h.MaxLength("100"), h.AutoComplete("off"),
					h.Placeholder("This laptop"))),
			h.NoScript(hint(g.Text("Passkeys require JavaScript."))),
		}),
		g.If(d.Hint != "", hint(g.Text(d.Hint))),
	}
}

func pick(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

func passwordForm(has bool) g.Node {
	limits := g.Group{h.MinLength("12"), h.MaxLength("256")}
	return form("/app/sign-in-methods/password",
		h.Label(h.For("password"), g.Text(pick(has, "New password", "Password"))),
		password("password", "new-password", limits, h.Aria("describedby", "password-rule")),
		h.P(h.Class("hint"), h.ID("password-rule"), g.Text("12 to 256 characters; a few random words work well.")),
		h.Label(h.For("again"), g.Text("Repeat the password")),
		password("again", "new-password", limits),
		h.Button(g.Text(pick(has, "Change password", "Set password"))))
}

func passkeyRows(d signInMethods) g.Node {
	return h.Ul(h.Class("list"), g.Map(d.Passkeys, func(k passkeyRow) g.Node {
		return h.Li(
			h.Div(strong(k.Name), h.Small(g.Text("added "+when(k.CreatedAt)+" · last used "+when(k.LastUsedAt)))),
			g.If(d.Fresh, form("/app/sign-in-methods/passkeys/remove", hidden("id", k.Key), h.Button(h.Class("second danger"),
				h.Aria("label", "Remove the passkey "+k.Name), g.Text("Remove")))))
	}))
}

// question asks before an effect that a person cannot reverse.
func question(c confirmation) func(view) g.Node {
	return func(view) g.Node {
		return g.Group{
			h.P(g.Text(c.Text)),
			h.Div(h.Class("actions"),
				form(c.Action, hidden("id", c.ID), h.Button(g.Text(c.Button))), g.Text("\n"),
				h.A(h.Class("button second"), to(c.Back), g.Text("Cancel"))),
		}
	}
}

// revokeButton leads to the question whether to revoke something.
func revokeButton(action, id, name string) g.Node {
	return h.Form(h.Method("get"), h.Action(safeNext(action)), hidden("id", id),
		h.Button(h.Class("second danger"), h.Aria("label", "Revoke "+name), g.Text("Revoke")))
}
