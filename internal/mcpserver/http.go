package mcpserver

import (
	"context"
	"net/http"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
)

// HTTP returns the handler for /mcp.
func (s *Server) HTTP() http.Handler {
	return NewHTTP(HTTPOptions{
		Sessions: s.build(), Stateless: s.build(), Authorize: s.authorize, Challenge: s.challenge, Missing: missing, Count: s.count, Log: s.log,
		PublicURL: s.options.PublicURL, SessionIdle: s.options.SessionIdle, MaxSessions: s.options.MaxSessions, MaxPerKey: s.options.MaxPerKey,
	})
}

// count counts a request, together with those that its credential sends to the
// other surfaces.
func (s *Server) count(h http.Header, r *http.Request, p loci.Principal) error {
	return s.options.Gate.Count(h, r, p, func(err error) {
		s.log.WarnContext(r.Context(), "the shared count of requests does not answer; this process counts alone", "error", err)
	})
}

// authorize finds out who sends a request. NotFound until /mcp is switched on.
func (s *Server) authorize(r *http.Request) (loci.Principal, error) {
	ctx := r.Context()
	if err := s.on(ctx); err != nil {
		return loci.Principal{}, err
	}
	credentials, err := auth.RequestOf(r)
	if err != nil {
		return loci.Principal{}, err
	}
	p, err := s.auth.Authenticate(ctx, credentials)
	if err != nil {
		return loci.Principal{}, err
	}
	return p, onlyAgents(p)
}

// on returns NotFound while nobody could use /mcp.
func (s *Server) on(ctx context.Context) error {
	if s.switched.Load() {
		return nil
	}
	exist, err := s.auth.AgentsExist(ctx)
	if err != nil {
		return err
	}
	if !exist {
		return loci.Errorf(loci.NotFound, "MCP is off until there is an agent key: make one with `loci agent-key create --vendor claude` (or another vendor)")
	}
	s.switched.Store(true)
	return nil
}
