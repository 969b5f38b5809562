package web

import (
	"net/http"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/identity"
)

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
	return s.app.Org.Workspaces(r.Context(), p)
}

// enterWorkspace makes another workspace the active one of this sign-in.
func (s *server) enterWorkspace(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	var id loci.WorkspaceID
	if err := id.UnmarshalText([]byte(r.PostForm.Get("workspace"))); err != nil {
		return err
	}
	if err := s.app.Identity.EnterWorkspace(r.Context(), p, loci.CredentialID{}, id); err != nil {
		return err
	}
	if next := safeNext(r.PostForm.Get("next")); next != homePath {
		http.Redirect(w, r, next, http.StatusSeeOther)
		return nil
	}
	seeOther(w, r, homePath, "done", "workspace")
	return nil
}
