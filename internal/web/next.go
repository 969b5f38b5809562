package web

import (
	"net/http"
	"net/url"
	"strings"
)

// homePath is where the browser goes by default.
const homePath = "/app/"

// maxNext is the maximum length of an address that is kept during a sign-in. Requests of OAuth
// clients are the longest.
const maxNext = 8 << 10

// safeNext returns next if it is an address of this site's own pages, otherwise the home page.
// Browsers treat "//host" and "/\host" as other sites. So it allows only a short list of prefixes
// and no unusual characters.
func safeNext(next string) string {
	u, err := url.Parse(next)
	if err != nil || len(next) > maxNext || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		u.Fragment != "" ||
		strings.ContainsFunc(next, func(c rune) bool {
			return c <= ' ' || c == '\\' || c == 0x7f || c == '#' ||
				c == '\uFFFD'
		}) ||
		strings.Contains(u.Path, "//") || strings.Contains(u.Path, "..") || strings.Contains(u.Path, "\\") {
		return homePath
	}
	if u.Path == "/oauth/authorize" || strings.HasPrefix(u.Path, "/app/") {
		return next
	}
	return homePath
}

// back returns where to return after a sign-in: the page itself, or home after a form.
func back(r *http.Request) string {
	if r.Method == http.MethodGet {
		return safeNext(r.URL.RequestURI())
	}
	return homePath
}

// seeOther redirects the browser to a path of this site. pairs are names and values for its query.
func seeOther(w http.ResponseWriter, r *http.Request, path string, pairs ...string) {
	http.Redirect(w, r, address(path, pairs...), http.StatusSeeOther)
}

// address returns a path with a query. It leaves out empty values.
func address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return path
}
