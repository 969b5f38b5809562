package rest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/client"
)

// status is the one table from error code to HTTP status. An error without a code is internal: 500.
var status = map[loci.Code]int{
	loci.Invalid:         http.StatusBadRequest,
	loci.Unauthenticated: http.StatusUnauthorized,
	loci.Forbidden:       http.StatusForbidden,
	loci.StepUp:          http.StatusForbidden,
	loci.NotFound:        http.StatusNotFound,
	loci.Conflict:        http.StatusConflict,
	loci.Precondition:    http.StatusPreconditionFailed,
	loci.TooLarge:        http.StatusRequestEntityTooLarge,
	loci.RateLimited:     http.StatusTooManyRequests,
	loci.Full:            http.StatusInsufficientStorage,
	loci.Unavailable:     http.StatusServiceUnavailable,
	loci.Upstream:        http.StatusBadGateway,
}

// These are the errors of REST itself.
var (
	errAbsent  = loci.Errorf(loci.NotFound, "there is no such thing") // fail adds the noun
	errNoRoute = loci.Errorf(loci.NotFound, "no such route; GET /openapi.json lists all routes, and MCP is at /mcp")
	errAgent   = loci.Errorf(loci.Forbidden, "an agent's key cannot use this route; use the routes of "+
		"/openapi-agent.json, or ask your person to do it")
	errForeignPage = loci.Errorf(loci.Forbidden, "a sign-in cookie works only from pages of this server; "+
		"programs send Authorization: Bearer <key>")
	errGone = loci.Errorf(loci.Unavailable, "the request was cancelled before it finished")
)

// missing is the noun in the NotFound error of a route. "" means a memory.
type missing string

// These are the nouns.
const (
	noMemory    missing = "memory"
	noTeam      missing = "team"
	noMember    missing = "member"
	noInvite    missing = "invitation"
	noOrg       missing = "org"
	noWorkspace missing = "workspace"
	noKey       missing = "key"
	noSession   missing = "session"
	noSignIn    missing = "sign-in"
	noPasskey   missing = "passkey"
	noGrant     missing = "grant"
	noProject   missing = "project"
	noEntity    missing = "entity"
	noAsset     missing = "attachment"
	noSource    missing = "source"
	noAgent     missing = "agent"
	noEvent     missing = "event"

	noSuggestion missing = "suggestion"
)

// nouns are those of ids in paths, by the part of the path before the id.
var nouns = map[string]missing{"agents": noAgent, "assets": noAsset, "backups": noBackup, "candidates": noCandidate,
	"entities": noEntity, "events": noEvent, "golden": noGolden, "grants": noGrant, "invites": noInvite, "items": noItem,
	"keys": noKey, "members": noMember, "memories": noMemory, "memory-nodes": noNode, "orgs": noOrg,
	"passkeys": noPasskey, "projects": noProject, "reflections": noReflection, "runs": noDream, "sessions": noSession,
	"settings": noSetting, "sign-ins": noSignIn, "sources": noSource, "suggestions": noSuggestion, "tasks": noTask,
	"teams": noTeam, "workspaces": noWorkspace}

// text is the answer for every id that the caller cannot use: unknown, malformed
// or not visible. It must not depend on which.
func (m missing) text() string {
	m = cmp.Or(m, noMemory)
	return "there is no such " + string(m) + ", or this credential may not see it"
}

// internalText is all that callers see of an error without a code.
const internalText = "internal error"

// problem is client.Problem with the methods that huma requires of an error.
type problem struct{ client.Problem }

// Error returns the text.
func (p *problem) Error() string { return p.Detail }

// GetStatus returns the HTTP status.
func (p *problem) GetStatus() int { return p.Status }

// ContentType marks JSON as a problem document.
func (p *problem) ContentType(ct string) string {
	if ct == jsonType {
		return problemType
	}
	return ct
}

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"
)

func newProblem(err error) *problem {
	code := loci.CodeOf(err)
	if code == "" {
		return problemOf(http.StatusInternalServerError, "internal", "", internalText)
	}
	return problemOf(status[code], string(code), loci.FieldOf(err), loci.SafeText(err))
}

func problemOf(status int, code, field, text string) *problem {
	return &problem{client.Problem{Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: text, Error: text, Code: code, Field: field}}
}

// fail turns an error of a capability into an answer. Every NotFound of a route reads the same.
// Loci logs internal errors here, once. If the caller caused the error, the line about the
// request has the status; the cause is not logged, because it may contain what the caller sent.
func (s *server) fail(ctx context.Context, absent missing, err error) *problem {
	if items := (*loci.ItemsError)(nil); errors.As(err, &items) {
		return itemsProblem(items)
	}
	if ready := (*problem)(nil); errors.As(err, &ready) {
		return ready
	}
	switch code := loci.CodeOf(err); {
	case code == loci.NotFound:
		err = loci.Errorf(loci.NotFound, "%s", absent.text())
	case code == loci.StepUp:
		return s.stepUp(exchangeOf(ctx), err)
	case code == "" && ctx.Err() != nil:
		err = errGone
	case code == "" || status[code] >= http.StatusInternalServerError && errors.Unwrap(err) != nil:
		s.options.Log.ErrorContext(ctx, "request failed", "request_id", exchangeOf(ctx).id, "error", chain(err))
	}
	return newProblem(err)
}

// itemsProblem reports why items of a call were rejected: the first ones in the text, all of them in a list.
func itemsProblem(err *loci.ItemsError) *problem {
	text := err.Error()
	if n := len(err.Items) - maxProblems; n > 0 {
		text = (&loci.ItemsError{Items: err.Items[:maxProblems]}).Error() + "; " + strconv.Itoa(n) + " further reasons " +
			"are in items"
	}
	code := loci.CodeOf(err)
	p := problemOf(status[code], string(code), "", text)
	p.Items = err.Items
	return p
}

// stepUp tells a browser where to confirm the identity of its user, and a program which proof it lacks (RFC 9470).
func (s *server) stepUp(x *exchange, err error) *problem {
	x.Header().Set("WWW-Authenticate",
		`Bearer error="insufficient_user_authentication", max_age=`+strconv.Itoa(int(loci.StepUpAge.Seconds())))
	p := newProblem(err)
	p.StepUpURL = s.options.Site.Home(x.request) + "/app/step-up"
	return p
}

// chain formats an error with its causes, which Error of a loci.Error omits.
func chain(err error) string {
	text := err.Error()
	for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
		if !strings.HasSuffix(text, cause.Error()) {
			text += ": " + cause.Error()
		}
	}
	return text
}

// refuse answers without huma.
func (s *server) refuse(x *exchange, r *http.Request, err error) {
	if loci.CodeOf(err) == loci.Unauthenticated {
		x.Header().Set("WWW-Authenticate", `Bearer realm="loci"`)
	}
	switch loci.CodeOf(err) {
	case "", loci.Unavailable, loci.Full:
		writeProblem(x, s.fail(r.Context(), "", err))
	default:
		writeProblem(x, newProblem(err))
	}
}

// WriteError answers with the public part of err.
func WriteError(w http.ResponseWriter, err error) { writeProblem(w, newProblem(err)) }

func writeProblem(w http.ResponseWriter, p *problem) {
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_ = loci.WriteJSON(w, p) // the client has gone away
}

func etag(m *loci.Memory) string { return versionTag(m.Version) }

func versionTag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// ifVersion reads If-Match: the version to change, or 0 for any. A proxy that
// compresses may have made the tag weak; it still names the version.
func ifVersion(header string) (int, error) {
	header = strings.TrimSpace(header)
	if header == "" || header == "*" {
		return 0, nil
	}
	n, ok := tagVersion(header)
	if !ok {
		return 0, loci.FieldErrorf("If-Match", `must be a version as in an ETag, such as "3", or *`)
	}
	return n, nil
}

func noneMatch(header string, m *loci.Memory) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" {
			return true
		}
		if n, ok := tagVersion(tag); ok && n == m.Version {
			return true
		}
	}
	return false
}

func tagVersion(tag string) (int, bool) {
	tag = strings.TrimPrefix(tag, "W/")
	if len(tag) > 1 && tag[0] == '"' && tag[len(tag)-1] == '"' {
		tag = tag[1 : len(tag)-1]
	}
	n, err := strconv.Atoi(tag)
	return n, err == nil && n > 0 && tag[0] != '+'
}
