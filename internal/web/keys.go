package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// keyList is what the page of keys shows.
type keyList struct {
	Keys    []keyRow
	Form    keyForm
	Rights  []scope
	Lives   []life
	Vendors []loci.Vendor
	New     *newKey // shown once, right after its creation
}

type keyRow struct {
	loci.Credential
	Usable bool
	Reach  string // what limits it
}

// keyRow describes a key. A project that is gone has only its id.
func (s *server) keyRow(ctx context.Context, p loci.Principal, c loci.Credential) keyRow {
	var limits, projects []string
	for _, right := range c.Rights {
		limits = append(limits, string(right))
	}
	for _, id := range c.ProjectIDs {
		name := id.String()
		if x, err := s.app.Project.Get(ctx, p, id); err == nil {
			name = x.Name
		}
		projects = append(projects, name)
	}
	switch names := strings.Join(projects, ", "); len(projects) {
	case 0:
	case 1:
		limits = append(limits, "only project "+names)
	default:
		limits = append(limits, "only projects "+names)
	}
	return keyRow{c, c.Usable(s.now()), cmp.Or(strings.Join(limits, ", "), "everything")}
}

// newKey is a key that was just created. Only this page shows its secret, Key.
type newKey struct {
	Name    string
	Key     string
	Rotated bool
	Agent   bool // of an assistant
}

// keyForm is the person's input, to show again with an error.
type keyForm struct{ Name, Vendor, Expires string }

// scope is a right with its description.
type scope struct {
	Right   loci.Right
	Label   string
	Checked bool
}

var scopeLabels = map[loci.Right]string{
	loci.RightRead:    "read memories",
	loci.RightWrite:   "write memories",
	loci.RightGraph:   "read and change the knowledge graphs of your projects",
	loci.RightEvents:  "record and read events",
	loci.RightReflect: "propose memories from notes",
	loci.RightAccount: "use your account, keys and team",
	loci.RightAdmin:   "administer the org",
}

// offered returns the rights without those that nothing in this version requires.
func (s *server) offered(rights []loci.Right) []loci.Right {
	return slices.DeleteFunc(slices.Clone(rights), func(right loci.Right) bool { return !s.app.Requires(right) })
}

func scopesOf(rights []loci.Right, checked func(loci.Right) bool) []scope {
	out := make([]scope, len(rights))
	for i, right := range rights {
		out[i] = scope{Right: right, Label: scopeLabels[right], Checked: checked(right)}
	}
	return out
}

// life is how long a key is valid.
type life struct {
	Value string // days; "": forever
	Label string
}

var lives = []life{{"30", "30 days"}, {"90", "90 days"}, {"365", "1 year"}, {"", "never"}}

func (s *server) keys(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.showKeys(w, r, p, http.StatusOK, keyList{Form: keyForm{Expires: "90"}}, "")
}

// allKeys returns the keys of the person and those of their agents.
func (s *server) allKeys(ctx context.Context, p loci.Principal) (all []loci.Credential, err error) {
	for _, kind := range []loci.Kind{loci.KindUser, loci.KindAgent} {
		list, err := s.app.Identity.Keys(ctx, p, kind)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func (s *server) showKeys(w http.ResponseWriter, r *http.Request, p loci.Principal, status int, d keyList,
	problem string) error {
	list, err := s.allKeys(r.Context(), p)
	if err != nil {
		return err
	}
	for _, c := range list {
		d.Keys = append(d.Keys, s.keyRow(r.Context(), p, c))
	}
	slices.SortStableFunc(d.Keys, func(a, b keyRow) int {
		if a.Usable != b.Usable {
			if a.Usable {
				return -1
			}
			return 1
		}
		return b.CreatedAt.Compare(a.CreatedAt)
	})
	vendors, err := s.vendors(r, p)
	if err != nil {
		return err
	}
	d.Vendors, d.Lives = vendors, lives
	var asked []string // in a form that the page shows again
	if problem != "" {
		asked = r.PostForm["scope"]
	}
	d.Rights = scopesOf(s.offered(loci.Rights()),
		func(right loci.Right) bool { return slices.Contains(asked, string(right)) })
	return s.showOwn(w, r, p, status, view{Title: "Keys", Here: "/app/keys", Error: problem, Done: doneOf(r),
		Scripts: []string{"copy.js"}, Main: func(v view) g.Node { return keyPage(v, d) }})
}

func (s *server) createKey(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	form := keyForm{Name: r.PostForm.Get("name"), Vendor: r.PostForm.Get("vendor"), Expires: r.PostForm.Get("expires")}
	request, err := s.keyRequest(r, form)
	if err == nil {
		var c loci.Credential
		var key loci.Secret
		if c, key, err = s.app.Identity.CreateKey(r.Context(), p, request); err == nil {
			return s.showKeys(w, r, p, http.StatusOK, keyList{Form: keyForm{Expires: "90"},
				New: &newKey{Name: c.Name, Key: key.Reveal()}}, "")
		}
	}
	return s.keyProblem(w, r, p, form, err)
}

// keyProblem shows the page again with the form.
func (s *server) keyProblem(w http.ResponseWriter, r *http.Request, p loci.Principal, form keyForm, err error) error {
	if loci.CodeOf(err) == loci.StepUp || loci.CodeOf(err) == "" {
		return err
	}
	status, text := s.problem(w, r, err)
	return s.showKeys(w, r, p, status, keyList{Form: form}, text)
}

func (s *server) keyRequest(r *http.Request, form keyForm) (auth.KeyRequest, error) {
	out := auth.KeyRequest{Name: strings.TrimSpace(form.Name)}
	if v := strings.TrimSpace(form.Vendor); v != "" {
		var err error
		if out.Vendor, err = loci.ParseVendor(v); err != nil {
			return out, err
		}
	}
	for _, right := range r.PostForm["scope"] {
		out.Rights = append(out.Rights, loci.Right(right))
	}
	if form.Expires != "" {
		days, err := strconv.Atoi(form.Expires)
		if err != nil || days < 1 || days > 3650 {
			return out, loci.FieldErrorf("expires", "must be a number of days, from 1 to 3650")
		}
		out.ExpiresAt = s.now().Add(time.Duration(days) * 24 * time.Hour)
	}
	return out, nil
}

// rotationOverlap is how long the old key stays valid.
const rotationOverlap = 24 * time.Hour

func (s *server) rotateKey(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	id, err := credentialID(r)
	if err == nil {
		var c loci.Credential
		var key loci.Secret
		if c, key, err = s.app.Identity.RotateKey(r.Context(), p, id, rotationOverlap); err == nil {
			return s.showKeys(w, r, p, http.StatusOK, keyList{Form: keyForm{Expires: "90"},
				New: &newKey{Name: c.Name, Key: key.Reveal(), Rotated: true, Agent: c.Kind == loci.KindAgent}}, "")
		}
	}
	return s.keyProblem(w, r, p, keyForm{Expires: "90"}, err)
}

func (s *server) revokeKey(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	id, err := credentialID(r)
	if err == nil {
		err = s.app.Identity.RevokeKey(r.Context(), p, id)
	}
	return done(w, r, "/app/keys", "revoked", err)
}

// vendors returns the vendors of the org, then the known ones. People may type any other name.
func (s *server) vendors(r *http.Request, p loci.Principal) ([]loci.Vendor, error) {
	out, err := s.app.Identity.Vendors(r.Context(), p)
	if err != nil {
		return nil, err
	}
	out = slices.Clone(out)
	for _, v := range loci.Vendors {
		if !slices.Contains(out, v.Name) {
			out = append(out, v.Name)
		}
	}
	return out, nil
}
