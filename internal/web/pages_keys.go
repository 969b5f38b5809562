package web

import (
	"cmp"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci"
)

// connectionList is what the page of connections shows.
type connectionList struct {
	Grants []grantRow
	Keys   []keyRow
	MCP    string
}

// connectionRows is the page of connections.
func connectionRows(d connectionList) func(view) g.Node {
	return func(view) g.Node {
		keys := g.Group{
			h.Ul(h.Class("list"), g.Map(d.Keys, func(k keyRow) g.Node {
				return h.Li(h.Div(strong(k.Name), g.Text(" is "), tag(string(k.Vendor)), g.Text(" "), code(k.Prefix+"…"),
					g.Text("\n"), h.Small(g.Text(loci.Legible(k.Reach)+" · last used "+when(k.LastUsedAt)))))
			})),
			h.P(g.Text("To rotate or revoke one, see "), h.A(to("/app/keys"), g.Text("Keys")), g.Text(".")),
		}
		return g.Group{
			h.P(g.Text("Assistants that access your memory. To connect one, give it this address: "),
				h.Code(h.Class("wrap"), g.Text(d.MCP))),
			h.H2(g.Text("By signing in")),
			either(len(d.Grants) > 0, h.Ul(h.Class("list"), g.Map(d.Grants, grantItem)),
				hint(g.Text("No assistants are connected by signing in (OAuth)."))),
			h.H2(g.Text("With a key")),
			either(len(d.Keys) > 0, keys, hint(g.Text("No assistants have a key. To create one, see "),
				h.A(to("/app/keys"), g.Text("Keys")), g.Text("."))),
			hint(g.Text("Assistants that start Loci themselves, over stdio, are not listed here. At the machine, "),
				code("loci status"), g.Text(" lists them.")),
		}
	}
}

func grantItem(r grantRow) g.Node {
	rights := make([]string, len(r.Rights))
	for i, right := range r.Rights {
		rights[i] = string(right)
	}
	end := "expired " + when(r.ExpiresAt)
	switch {
	case !r.RevokedAt.IsZero():
		end = "revoked " + when(r.RevokedAt)
	case r.Usable:
		end = "expires " + when(r.ExpiresAt) + " if unused"
	}
	return h.Li(g.If(!r.Usable, h.Class("off")),
		h.Div(strong(cmp.Or(r.ClientName, "unnamed client")), g.Text(" is "), tag(string(r.Vendor)), g.Text("\n"),
			h.Small(g.Text(strings.Join(rights, ", ")+" · allowed "), moment(r.CreatedAt),
				g.Text(" · last used "+when(r.LastUsedAt)+" · "+end))),
		g.If(r.Usable, revokeButton("/app/connections/revoke", r.ID.String(), r.ClientName)))
}

// keyPage is the page of keys.
func keyPage(v view, d keyList) g.Node {
	return g.Group{
		newKeyBox(d.New),
		h.P(g.Text("A key without a vendor is yours and sees everything that you see. A key with a vendor is for an agent " +
			"and sees what that vendor may see.")),
		either(len(d.Keys) > 0, h.Ul(h.Class("list"), g.Map(d.Keys, keyItem)), hint(g.Text("You have no keys."))),
		h.H2(g.Text("New key")),
		newKeyForm(v, d),
	}
}

// newKeyBox shows the secret of a key that was just created.
func newKeyBox(k *newKey) g.Node {
	if k == nil {
		return nil
	}
	return h.Section(h.Class("new"), h.Role("status"),
		h.H2(g.Text(pick(k.Rotated, "The new key of ", "Your key ")+k.Name)),
		h.P(g.Text("Copy it now. Loci shows it only this once.")),
		h.P(h.Code(h.Class("secret"), h.ID("secret"), h.TabIndex("0"), g.Text(k.Key))),
		h.P(h.Button(h.Type("button"), h.Class("second"), h.Data("copy", "secret"), g.Attr("hidden"), g.Text("Copy"))),
		g.If(k.Rotated, h.P(g.Text("The old key works for another 24 hours."), g.If(k.Agent, g.Group{g.Text(" If "),
			code("loci connect"), g.Text(" wrote it, run that command again: it writes a new key.")}))))
}

func keyItem(k keyRow) g.Node {
	end := "expires " + when(k.ExpiresAt)
	switch {
	case !k.RevokedAt.IsZero():
		end = "revoked " + when(k.RevokedAt)
	case k.ExpiresAt.IsZero():
		end = "never expires"
	}
	id := k.ID.String()
	return h.Li(g.If(!k.Usable, h.Class("off")),
		h.Div(strong(k.Name), g.Text(" "), tag(cmp.Or(string(k.Vendor), "you")), g.Text(" "), code(k.Prefix+"…"),
			g.Text("\n"), h.Small(g.Text(loci.Legible(k.Reach)+" · created "+when(k.CreatedAt)+" · last used "+
				when(k.LastUsedAt)+" · "+end))),
		g.If(k.Usable, h.Div(h.Class("actions"),
			form("/app/keys/rotate", hidden("id", id),
				h.Button(h.Class("second"), h.Aria("label", "Rotate "+k.Name), g.Text("Rotate"))),
			revokeButton("/app/keys/revoke", id, k.Name))))
}

func newKeyForm(v view, d keyList) g.Node {
	return form("/app/keys",
		h.Label(h.For("name"), g.Text("Name")),
		h.Input(h.ID("name"), h.Name("name"), h.Required(), h.MaxLength("100"), h.AutoComplete("off"),
			h.Value(d.Form.Name), g.If(v.Error != "", h.Aria("describedby", "error"))),
		h.Label(h.For("vendor"), g.Text("Vendor "),
			h.Span(h.Class("hint"), g.Text("(leave empty for your own key)"))),
		h.Input(h.ID("vendor"), h.Name("vendor"), h.MaxLength("50"), h.AutoComplete("off"),
			g.Attr("autocapitalize", "none"), g.Attr("spellcheck", "false"), h.List("vendors"), h.Value(d.Form.Vendor)),
		h.DataList(h.ID("vendors"), g.Map(d.Vendors, func(name loci.Vendor) g.Node {
			return h.Option(h.Value(string(name)), g.Text(name.Label()))
		})),
		h.FieldSet(h.Legend(g.Text("Permissions "), h.Span(h.Class("hint"), g.Text("(select none to allow everything)"))),
			checks(d.Rights)),
		h.Label(h.For("expires"), g.Text("Expires after")),
		h.Select(h.ID("expires"), h.Name("expires"), g.Map(d.Lives, func(l life) g.Node {
			return h.Option(h.Value(l.Value), g.If(l.Value == d.Form.Expires, h.Selected()), g.Text(l.Label))
		})),
		h.Button(g.Text("Create key")))
}
