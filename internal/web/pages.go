package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/identity"
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

// view is a page: what is in the frame, and what the frame is around.
type view struct {
	Title   string
	Who     *identity.Identity // nil: nobody is signed in, or the page does not show it
	Error   string             // above the page
	Done    string             // what was just done
	Scripts []string           // the static files of the page's scripts
	Version string
	Main    func(view) g.Node
}

// frame is the whole HTML of a page.
func frame(v view) g.Node {
	return g.Group{g.Raw("<!doctype html>\n"), h.HTML(h.Lang("en"), head(v), h.Body(
		h.A(h.Class("skip"), h.Href("#main"), g.Text("Skip to the content")),
		h.Header(h.A(h.Class("brand"), to(homePath), g.Text("Loci")), g.If(v.Who != nil, menu())),
		h.Main(h.ID("main"), h.H1(g.Text(v.Title)),
			g.If(v.Done != "", h.P(h.Class("done"), h.Role("status"), g.Text(v.Done))),
			g.If(v.Error != "", h.P(h.Class("error"), h.Role("alert"), h.ID("error"), g.Text(v.Error))),
			v.Main(v)),
		h.Footer(g.Text("Loci "+v.Version+": one memory for every AI you use.")),
	))}
}

func head(v view) g.Node {
	return h.Head(
		h.Meta(h.Charset("utf-8")),
		h.Meta(h.Name("viewport"), h.Content("width=device-width, initial-scale=1")),
		h.Meta(h.Name("color-scheme"), h.Content("light dark")),
		h.Meta(h.Name("robots"), h.Content("noindex")),
		h.TitleEl(g.Text(v.Title+" · Loci")),
		h.Link(h.Rel("icon"), h.Href("data:,")),
		h.Link(h.Rel("stylesheet"), to(staticURL("style.css"))),
		g.Map(v.Scripts, func(name string) g.Node { return h.Script(h.Src(staticURL(name)), h.Defer()) }),
	)
}

type entry struct{ Path, Name string }

var entries = []entry{{homePath, "Memories"}, {"/app/inbox", "Inbox"}, {"/app/connections", "Connections"},
	{"/app/keys", "Keys"}, {"/app/account", "Account"}}

func menu() g.Node {
	return g.Group{
		h.Nav(h.Aria("label", "Account"), g.Map(entries, func(e entry) g.Node {
			return g.Group{h.A(to(e.Path), g.Text(e.Name)), g.Text("\n")}
		})),
		form("/app/sign-out", h.Button(h.Class("quiet"), g.Text("Sign out"))),
	}
}

// errorPage leads away from an error. Its text is in the frame.
func errorPage(signedIn bool) func(view) g.Node {
	return func(view) g.Node {
		return g.Group{
			h.P(h.A(to(homePath), g.Text("To your memories"))),
			g.If(signedIn, form("/app/sign-out", second("Sign out"))),
		}
	}
}

// workspaces returns the person's workspaces, or nil if the org does not use them.
func (s *server) workspaces(r *http.Request, p loci.Principal) ([]loci.Workspace, error) {
	if p.WorkspaceID.IsZero() {
		return nil, nil
	}
	return s.App.Org.Workspaces(r.Context(), p)
}

// enterWorkspace makes another workspace the active one of this sign-in.
func (s *server) enterWorkspace(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	var id loci.WorkspaceID
	if err := id.UnmarshalText([]byte(r.PostForm.Get("workspace"))); err != nil {
		return err
	}
	if err := s.App.Identity.EnterWorkspace(r.Context(), p, loci.CredentialID{}, id); err != nil {
		return err
	}
	if next := safeNext(r.PostForm.Get("next")); next != homePath {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	seeOther(w, r, homePath, "done", "workspace")
	return nil
}

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
