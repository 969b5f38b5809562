package auth

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loci-memory/loci"
)

// assistantIdle is how long Loci lists an assistant after its last use.
const assistantIdle = 30 * 24 * time.Hour

// Assistant is the row of an assistant that has no credential in the store: it uses an agent key of
// the environment, or starts Loci itself (loci mcp). The row records when. No secret has its hash, and
// Authenticate rejects its method.
func Assistant(p loci.Principal) loci.Credential {
	name := p.Vendor.Label() + " (stdio)"
	if p.Method == loci.ByEnvironment {
		name = "LOCI_AGENT_KEY_" + strings.ToUpper(string(p.Vendor))
	}
	hash := sha256.Sum256([]byte("assistant\x00" + string(p.OrgID) + "\x00" + name))
	return loci.Credential{ID: loci.CredentialID(hash[:16]), OrgID: p.OrgID, UserID: p.UserID, Kind: loci.KindAgent,
		Method: p.Method, Vendor: p.Vendor, Name: name, Hash: hash, IdleAfter: assistantIdle}
}

// Used records the use of an Assistant. Like touch, it writes once a minute and only logs a failure.
func (a *Authenticator) Used(ctx context.Context, p loci.Principal) {
	who, now := [2]string{string(p.Method), string(p.Vendor)}, loci.CutTime(a.o.Now())
	if last, ok := a.used.Load(who); ok && now.Sub(last.(time.Time)) < time.Minute {
		return
	}
	a.used.Store(who, now)
	c := Assistant(p)
	err := a.o.Store.Credentials().Touch(ctx, c.ID, now)
	if loci.CodeOf(err) == loci.NotFound {
		c.CreatedAt, c.LastUsedAt = now, now
		err = a.o.Store.Credentials().Insert(ctx, c)
	}
	if err != nil && loci.CodeOf(err) != loci.Conflict { // another process was faster
		a.o.Log.WarnContext(ctx, "cannot record the use of an assistant", "name", c.Name, "error", err)
	}
}

// Configured returns the vendors of the agent keys in the environment, if they act for that person.
func (s *SignIn) Configured(ctx context.Context, p loci.Principal) ([]loci.Vendor, error) {
	org, err := s.o.Authenticator.org(ctx, p.OrgID)
	if err != nil || org.ID != loci.DefaultOrg || p.UserID != org.OwnerID {
		return nil, err
	}
	return slices.Sorted(maps.Values(s.o.Authenticator.agents)), nil
}
