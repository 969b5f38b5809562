package web

import (
	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

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
