package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// Limits of client metadata documents. Strangers choose their addresses.
const (
	maxDocument   = 64 << 10 // bytes
	documentLife  = time.Hour
	documentRetry = time.Minute      // how long a failure is cached
	offlineFor    = 10 * time.Minute // how long clients are asked to register after a failure
	fetchTimeout  = 5 * time.Second
	maxDocuments  = 1000
	maxFetches    = 4 // at the same time
)

// documents fetches and caches client metadata documents (draft-ietf-oauth-client-id-metadata-document).
type documents struct {
	fetch  *http.Client
	egress bool
	now    func() time.Time
	log    *slog.Logger
	places chan struct{}

	mu      sync.Mutex
	known   map[string]known
	offline time.Time // until when clients are asked to register
}

type known struct {
	client loci.OAuthClient
	bad    bool
	until  time.Time
}

func newDocuments(fetch *http.Client, egress bool, now func() time.Time, log *slog.Logger) *documents {
	if fetch == nil {
		fetch = &http.Client{Transport: guardedTransport()}
	}
	own := *fetch // the rules apply to any client
	own.Timeout = fetchTimeout
	own.Jar = nil
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &documents{fetch: &own, egress: egress, now: now, log: log, places: make(chan struct{}, maxFetches),
		known: map[string]known{}}
}

// checkDocumentURL returns the host of a client id that is the URL of a metadata document, or an error.
func checkDocumentURL(id string) (host string, err error) {
	bad := errorOf("invalid_client",
		"a client_id that is a URL must be https with a host name and a path, without port, query, fragment, user or dot "+
			"segments")
	u, err := url.Parse(id)
	if err != nil || !plainURI(id) || !strings.HasPrefix(id, "https://") || u.User != nil || u.Opaque != "" ||
		strings.ContainsAny(id, "#?") ||
		u.Port() != "" && u.Port() != "443" || strings.HasSuffix(u.Host, ":") || len(u.Path) < 2 {
		return "", bad
	}
	for _, segment := range strings.Split(u.Path, "/") { // decoded, because %2e is a dot, too
		if segment == "." || segment == ".." || strings.ContainsAny(segment, "\\\x00") {
			return "", bad
		}
	}
	host = strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil || !strings.Contains(strings.Trim(host, "."), ".") ||
		strings.HasSuffix(host, ".") || strings.Contains(host, "%") {
		return "", bad
	}
	return host, nil
}

// get returns the client that a document describes, and the host that it comes from. All failures
// on the way have the same text, so that nobody learns about our network from it.
func (d *documents) get(ctx context.Context, id string) (loci.OAuthClient, string, error) {
	host, err := checkDocumentURL(id)
	if err != nil {
		return loci.OAuthClient{}, "", err
	}
	if !d.egress {
		return loci.OAuthClient{}, "",
			errorOf("invalid_client", "cannot read the client's metadata document: calls to other servers are off "+
				"(LOCI_EGRESS)"+orRegister)
	}
	bad := errorOf("invalid_client", "cannot fetch the client's metadata document, or it is not valid"+orRegister)
	if k, ok := d.recall(id); ok {
		if k.bad {
			return loci.OAuthClient{}, "", bad
		}
		return k.client, host, nil
	}
	select {
	case d.places <- struct{}{}:
		defer func() { <-d.places }()
	case <-ctx.Done():
		return loci.OAuthClient{}, "", ctx.Err()
	}
	client, life, err := d.load(ctx, id, host)
	if err != nil {
		if ctx.Err() != nil { // the caller went away, so the failure isn't the document's
			return loci.OAuthClient{}, "", ctx.Err()
		}
		d.log.WarnContext(ctx, "cannot use a client metadata document; clients are asked to register instead, for "+
			"ten minutes, or always with LOCI_EGRESS=off", "host", host, "error", err)
		d.keep(id, known{bad: true, until: d.now().Add(documentRetry)}, d.now().Add(offlineFor))
		return loci.OAuthClient{}, "", bad
	}
	d.keep(id, known{client: client, until: d.now().Add(life)}, time.Time{})
	return client, host, nil
}

// orRegister is the way out of both errors. Clients keep the address of their document until they sign out.
const orRegister = "; sign out of Loci in the client (Claude Code: claude mcp logout NAME) and connect again, " +
	"so that it registers here instead"

func (d *documents) recall(id string) (known, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := d.known[id]
	return k, ok && d.now().Before(k.until)
}

func (d *documents) keep(id string, k known, offline time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.offline = offline
	if len(d.known) >= maxDocuments {
		now := d.now()
		maps.DeleteFunc(d.known, func(_ string, k known) bool { return !now.Before(k.until) })
	}
	if len(d.known) >= maxDocuments { // a stranger filled it within the hour
		clear(d.known)
	}
	d.known[id] = k
}

// supported reports whether a client should identify itself by its document.
func (d *documents) supported() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.egress && !d.now().Before(d.offline)
}

func (d *documents) load(ctx context.Context, id, host string) (loci.OAuthClient, time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return loci.OAuthClient{}, 0, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "loci")
	resp, err := d.fetch.Do(req)
	if err != nil {
		return loci.OAuthClient{}, 0, err
	}
	defer resp.Body.Close()
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode != http.StatusOK || err != nil ||
		kind != "application/json" && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return loci.OAuthClient{}, 0, fmt.Errorf("status %d, type %q", resp.StatusCode, kind)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument+1))
	if err != nil {
		return loci.OAuthClient{}, 0, err
	}
	if len(body) > maxDocument {
		return loci.OAuthClient{}, 0, fmt.Errorf("larger than %d bytes", maxDocument)
	}
	var m metadata
	if err := json.Unmarshal(body, &m); err != nil {
		return loci.OAuthClient{}, 0, err
	}
	client, err := m.fromDocument(id, host)
	return client, life(resp.Header.Get("Cache-Control")), err
}

func (m *metadata) fromDocument(id, host string) (loci.OAuthClient, error) {
	if m.ClientID != id {
		return loci.OAuthClient{}, fmt.Errorf("client_id is not the document's address")
	}
	if m.Secret != "" || strings.HasPrefix(m.AuthMethod, "client_secret") {
		return loci.OAuthClient{}, fmt.Errorf("a public document cannot have a secret")
	}
	c := loci.OAuthClient{ID: id, Name: loci.OneLine(m.Name)}
	if name := []rune(c.Name); len(name) > maxClientName {
		c.Name = string(name[:maxClientName])
	}
	usable := usableRedirects(m.RedirectURIs)
	if c.RedirectURIs = usable[:min(len(usable), 5*maxRedirects)]; len(usable) == 0 {
		return loci.OAuthClient{}, fmt.Errorf("no usable redirect_uris")
	}
	if provedBy(m.URI) == host && plainURI(m.URI) {
		c.URI = m.URI
	}
	return c, nil
}

// life returns how long a document may be cached: as long as its server allows, but at most documentLife.
func life(cacheControl string) time.Duration {
	for _, word := range strings.Split(strings.ToLower(cacheControl), ",") {
		word = strings.TrimSpace(word)
		if word == "no-store" || word == "no-cache" {
			return 0
		}
		if seconds, ok := strings.CutPrefix(word, "max-age="); ok {
			if d, err := time.ParseDuration(strings.Trim(seconds, `"`) + "s"); err == nil && d >= 0 && d < documentLife {
				return d
			}
		}
	}
	return documentLife
}
