package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	g "maragu.dev/gomponents"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth/oauth"
	"github.com/loci-memory/loci/internal/identity"
)

// consentPage is the content of the consent page. The form contains the client's request, which is
// checked again when the form comes back. So the server stores nothing in between.
type consentPage struct {
	*oauth.Consent
	Request    []field
	Query      string // the request, to return to
	Host       string // where the answer goes
	Choices    []choice
	Other      string // a vendor that the person typed
	Scopes     []scope
	Workspaces []loci.Workspace
	Active     loci.WorkspaceID
}

type field struct{ Name, Value string }

// choice is a vendor that the client may act as, with what it would see.
type choice struct {
	loci.Vendor
	Sees, Hidden int
	AtLeast      bool // the counts are lower bounds
	Checked      bool
	Suggested    bool
}

// authorize shows which client requests what. It first redirects strangers to the sign-in page. Checking the request
// may fetch the client's metadata document, and strangers must not make this server fetch addresses.
func (s *server) authorize(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	return s.askConsent(w, r, p, requestOf(r.URL.Query(), ""), "", "")
}

// askConsent shows the consent page. vendor is the current choice.
func (s *server) askConsent(w http.ResponseWriter, r *http.Request, p loci.Principal, query url.Values,
	vendor loci.Vendor, problem string) error {
	c, err := s.request(w, r, query)
	if c == nil {
		return err
	}
	d := consentPage{Consent: c, Request: fieldsOf(query), Host: target(c.RedirectURI), Active: p.WorkspaceID,
		Query: "/oauth/authorize?" + query.Encode(),
		Scopes: scopesOf(s.offered(c.Rights), func(right loci.Right) bool {
			return r.Method == http.MethodGet || slices.Contains(r.PostForm["scope"], string(right))
		})}
	if d.Choices, err = s.choices(r, p, c, vendor); err != nil {
		return err
	}
	if d.Workspaces, err = s.workspaces(r, p); err != nil {
		return err
	}
	status := http.StatusOK
	if problem != "" {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Security-Policy", policy(formTarget(c.RedirectURI)))
	return s.showOwn(w, r, p, status, view{Title: "Allow access", Error: problem,
		Main: func(v view) g.Node { return consentForm(v, d) }})
}

// request checks a client's request. If the client must learn of an error, it writes the answer and returns nil.
func (s *server) request(w http.ResponseWriter, r *http.Request, query url.Values) (*oauth.Consent, error) {
	var c *oauth.Consent
	sent, err := oauth.ParseRequest(query)
	if err == nil {
		c, err = s.OAuth.Authorize(r.Context(), sent, s.owns(r))
	}
	if back, ok := errors.AsType[*oauth.RedirectError](err); ok {
		return nil, s.leave(w, back.RedirectURI, back.Location(s.Site.Home(r)))
	}
	if shown, ok := errors.AsType[*oauth.Error](err); ok {
		return nil, loci.WrapError(loci.Invalid, err, "%s", shown.Description)
	}
	return c, err
}

func (s *server) owns(r *http.Request) func(string) bool {
	return func(resource string) bool { return s.Site.IsResource(r, resource) }
}

// consent handles the person's answer.
func (s *server) consent(w http.ResponseWriter, r *http.Request, p loci.Principal) error {
	query := requestOf(r.PostForm, requestPrefix)
	c, err := s.request(w, r, query)
	if c == nil {
		return err
	}
	issuer := s.Site.Home(r)
	w.Header().Set("Content-Security-Policy", policy(formTarget(c.RedirectURI)))
	switch r.PostForm.Get("answer") {
	case "deny":
		return s.sendBack(w, r, c.RedirectURI, oauth.Deny(c, issuer))
	case "allow":
	default:
		return loci.FieldErrorf("answer", "must be allow or deny")
	}
	vendor, offered, problem := s.chosen(r, c)
	if problem == "" && !offered {
		problem = "Check what " + string(vendor) + " will see, then allow it."
	}
	rights := chosenRights(r, c)
	if problem == "" && len(rights) == 0 {
		problem = "Select at least one permission, or deny."
	}
	if problem != "" {
		return s.askConsent(w, r, p, query, vendor, problem)
	}
	code, err := s.App.Identity.Consent(r.Context(), p, c, vendor, rights)
	if loci.CodeOf(err) == loci.Invalid {
		return s.askConsent(w, r, p, query, "", loci.SafeText(err))
	}
	if err != nil {
		return err
	}
	return s.sendBack(w, r, c.RedirectURI, oauth.Redirect(c, issuer, code))
}

// sendBack answers the consent form. A program on the person's machine gets a redirect, which the page's form-action
// allows. A site gets a page instead. It may redirect the browser further (Claude's redirects to its app), and
// Chromium would block that: it applies form-action to every redirect after a form.
func (s *server) sendBack(w http.ResponseWriter, r *http.Request, redirect, location string) error {
	if strings.HasPrefix(redirect, "https:") {
		return s.leave(w, redirect, location)
	}
	http.Redirect(w, r, location, http.StatusSeeOther)
	return nil
}

// leave shows a page that continues to the client without a redirect after a form, whichever form
// the browser came from.
func (s *server) leave(w http.ResponseWriter, redirect, location string) error {
	w.Header().Set("Refresh", "0;url="+location)
	return s.show(w, http.StatusOK, view{Title: "Returning", Main: leavePage(target(redirect), location)})
}

// chosen returns the vendor that the person chose. offered reports whether they saw its counts. A
// name that they typed is offered in the next round.
func (s *server) chosen(r *http.Request, c *oauth.Consent) (v loci.Vendor, offered bool, problem string) {
	if c.Fixed {
		return c.Suggested, true, ""
	}
	name := r.PostForm.Get("vendor")
	if name == "" {
		return "", false, "Choose a vendor for this client."
	}
	if name == otherVendor {
		name = strings.TrimSpace(r.PostForm.Get("other"))
	}
	v, err := loci.ParseVendor(name)
	if err != nil {
		return "", false, loci.SafeText(err)
	}
	return v, slices.Contains(r.PostForm["offered"], string(v)), ""
}

// otherVendor is the choice of a name that is not in the list. Vendor names can't begin with a dot.
const otherVendor = ".other"

// choices returns the vendors that the client may act as: only the operator's choice, or else the
// suggestion, the vendors of the org and the well-known ones. It preselects only a proved vendor,
// because a client's name decides nothing.
func (s *server) choices(r *http.Request, p loci.Principal, c *oauth.Consent, chosen loci.Vendor) ([]choice, error) {
	var offer []loci.Vendor
	if !c.Fixed {
		known, err := s.vendors(r, p)
		if err != nil {
			return nil, err
		}
		offer = known
	}
	for _, v := range []loci.Vendor{chosen, c.Suggested} {
		if v != "" && !slices.Contains(offer, v) && (!c.Fixed || v == c.Suggested) {
			offer = append([]loci.Vendor{v}, offer...)
		}
	}
	sights, err := s.App.Identity.Preview(r.Context(), p, offer)
	if err != nil {
		return nil, err
	}
	chosen = cmp.Or(chosen, c.Suggested)
	out := make([]choice, len(sights))
	for i, see := range sights {
		out[i] = choiceOf(see)
		out[i].Suggested, out[i].Checked = see.Vendor == c.Suggested, see.Vendor == chosen
	}
	slices.SortStableFunc(out, func(a, b choice) int { return b.rank() - a.rank() })
	return out, nil
}

func (c choice) rank() int {
	switch {
	case c.Suggested:
		return 2
	case c.Checked:
		return 1
	}
	return 0
}

func choiceOf(see identity.Sight) choice {
	return choice{Vendor: see.Vendor, Sees: see.Sees, Hidden: max(0, see.Total-see.Sees),
		AtLeast: see.SeesIsLowerBound || see.TotalIsLowerBound}
}

func chosenRights(r *http.Request, c *oauth.Consent) []loci.Right {
	return slices.DeleteFunc(slices.Clone(c.Rights), func(right loci.Right) bool {
		return !slices.Contains(r.PostForm["scope"], string(right))
	})
}

// target returns where the answer goes, in a form for people.
func target(redirect string) string {
	u, err := url.Parse(redirect)
	switch {
	case err != nil:
		return redirect
	case u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"):
		return u.Host
	}
	return u.Scheme + ":"
}

var requestFields = []string{"response_type", "client_id", "redirect_uri", "state", "code_challenge",
	"code_challenge_method", "scope", "resource"}

// requestPrefix is the prefix of the fields with the request in the consent form. It is needed
// because the form has its own scope field.
const requestPrefix = "request."

// requestOf returns the parameters of a request with all values that were sent, so that
// ParseRequest can reject a parameter that appears twice.
func requestOf(sent url.Values, prefix string) url.Values {
	out := url.Values{}
	for _, name := range requestFields {
		if values, ok := sent[prefix+name]; ok {
			out[name] = values
		}
	}
	return out
}

func fieldsOf(query url.Values) []field {
	var out []field
	for _, name := range requestFields {
		for _, v := range query[name] {
			out = append(out, field{requestPrefix + name, v})
		}
	}
	return out
}

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
	return slices.DeleteFunc(slices.Clone(rights), func(right loci.Right) bool { return !s.App.Requires(right) })
}

func scopesOf(rights []loci.Right, checked func(loci.Right) bool) []scope {
	return loci.Mapped(rights, func(right loci.Right) scope {
		return scope{Right: right, Label: scopeLabels[right], Checked: checked(right)}
	})
}

// vendors returns the vendors of the org, then the known ones. People may type any other name.
func (s *server) vendors(r *http.Request, p loci.Principal) ([]loci.Vendor, error) {
	out, err := s.App.Identity.Vendors(r.Context(), p)
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
