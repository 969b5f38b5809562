package identity

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/org"
	"github.com/loci-memory/loci/internal/store"
)

// CreateKey creates a key for p's person, or for an agent of theirs if the request names a vendor.
// The secret is returned only here. Without rights in the request, the key gets those of the
// credential that creates it. CreateKey fails with Invalid if the key would have more rights than
// that credential, or a project or workspace that the person is not in.
func (s *Service) CreateKey(ctx context.Context, p loci.Principal, r auth.KeyRequest) (
	loci.Credential, loci.Secret, error) {
	if err := s.Begin(ctx, p, KeyCreate); err != nil {
		return loci.Credential{}, "", err
	}
	if err := s.narrow(ctx, p, &r); err != nil {
		return loci.Credential{}, "", err
	}
	c, key, err := auth.NewCredential(p, r, s.Time())
	if err != nil {
		return loci.Credential{}, "", err
	}
	if err := s.Record(ctx, p, KeyCreate, c.ID.String()); err != nil {
		return loci.Credential{}, "", err
	}
	if err := s.Store.Credentials().Insert(ctx, c); err != nil {
		return loci.Credential{}, "", err
	}
	return c, key, nil
}

// narrow limits a new key to what its creator and its person have.
func (s *Service) narrow(ctx context.Context, p loci.Principal, r *auth.KeyRequest) error {
	if len(p.Rights) > 0 {
		if len(r.Rights) == 0 {
			r.Rights = slices.Clone(p.Rights)
		}
		if r.Vendor != "" {
			r.Rights = slices.DeleteFunc(slices.Clone(r.Rights),
				func(x loci.Right) bool { return !slices.Contains(loci.AgentRights(), x) })
		}
		if len(r.Rights) == 0 || slices.ContainsFunc(r.Rights, func(x loci.Right) bool { return !p.Has(x) }) {
			return loci.FieldErrorf("scopes", "must not exceed the scopes of the credential that creates the key")
		}
	}
	// A key can reach only projects that its person is in.
	if slices.ContainsFunc(r.ProjectIDs, func(x loci.ProjectID) bool { return !slices.Contains(p.ProjectIDs, x) }) {
		return loci.FieldErrorf("project_ids", "has a project that does not exist or that you do not belong to")
	}
	if r.WorkspaceID.IsZero() {
		return nil
	}
	return s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		in, err := org.IsIn(ctx, tx, p.UserID, r.WorkspaceID)
		if err == nil && !in {
			err = loci.FieldErrorf("workspace_id", "must be a workspace that you are a member of")
		}
		return err
	})
}

// Keys returns the keys of p's person, newest first, including revoked ones. kind is KindUser,
// KindAgent or "" for both.
func (s *Service) Keys(ctx context.Context, p loci.Principal, kind loci.Kind) ([]loci.Credential, error) {
	if err := s.Begin(ctx, p, KeyList); err != nil {
		return nil, err
	}
	return s.Store.Credentials().List(ctx,
		store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Kind: kind, Method: loci.ByKey})
}

// Assistants returns the assistants of p's person that have no credential in the store: those with an
// agent key of the server's configuration, and those that used "loci mcp" in the last 30 days. They are
// credentials without a secret.
func (s *Service) Assistants(ctx context.Context, p loci.Principal) ([]loci.Credential, error) {
	if err := s.Begin(ctx, p, KeyList); err != nil {
		return nil, err
	}
	list, err := s.Store.Credentials().List(ctx,
		store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, Kind: loci.KindAgent, Usable: s.Time()})
	if err != nil || s.signIn == nil {
		return nil, err
	}
	list = slices.DeleteFunc(list,
		func(c loci.Credential) bool { return c.Method != loci.ByEnvironment && c.Method != loci.ByDisk })
	vendors, err := s.signIn.Configured(ctx, p)
	for _, v := range vendors {
		c := auth.Assistant(loci.Principal{OrgID: p.OrgID, UserID: p.UserID, Method: loci.ByEnvironment, Vendor: v})
		if !slices.ContainsFunc(list, func(used loci.Credential) bool { return used.ID == c.ID }) {
			list = append(list, c)
		}
	}
	return list, err
}

// OrgKeys returns all keys in the org, newest first. Only the operator may call it.
func (s *Service) OrgKeys(ctx context.Context, p loci.Principal) ([]loci.Credential, error) {
	if err := s.Begin(ctx, p, KeyListAll); err != nil {
		return nil, err
	}
	return s.Store.Credentials().List(ctx, store.CredentialQuery{OrgID: p.OrgID, Method: loci.ByKey})
}

// How long a rotated key stays valid next to its successor.
const (
	DefaultOverlap = 24 * time.Hour
	MaxOverlap     = 30 * 24 * time.Hour
)

// RotateKey creates the successor of a key, with the same person, vendor, name, rights, projects,
// workspace and lifetime. The old key stays valid for overlap; 0 means DefaultOverlap. It fails
// with NotFound if the person has no such usable key (the operator may rotate anyone's in the org),
// with Conflict if the key was already rotated, and with Invalid if overlap exceeds MaxOverlap.
func (s *Service) RotateKey(ctx context.Context, p loci.Principal, id loci.CredentialID, overlap time.Duration) (
	loci.Credential, loci.Secret, error) {
	if err := s.Begin(ctx, p, KeyRotate); err != nil {
		return loci.Credential{}, "", err
	}
	overlap = cmp.Or(overlap, DefaultOverlap)
	if overlap < 0 || overlap > MaxOverlap {
		return loci.Credential{}, "", loci.FieldErrorf("overlap", "must be at most %d days", int(MaxOverlap.Hours()/24))
	}
	old, err := s.credential(ctx, p, id, loci.ByKey)
	if err != nil {
		return loci.Credential{}, "", err
	}
	now := s.Time()
	if !old.Usable(now) {
		return loci.Credential{}, "", errNoKey()
	}
	r := auth.KeyRequest{Name: old.Name, Vendor: old.Vendor, Rights: old.Rights, ProjectIDs: old.ProjectIDs,
		WorkspaceID: old.WorkspaceID}
	if !old.ExpiresAt.IsZero() {
		r.ExpiresAt = now.Add(old.ExpiresAt.Sub(old.CreatedAt))
	}
	if len(p.Rights) > 0 && (len(r.Rights) == 0 ||
		slices.ContainsFunc(r.Rights, func(x loci.Right) bool { return !p.Has(x) })) {
		return loci.Credential{}, "",
			loci.Errorf(loci.Forbidden, "cannot rotate the key: this credential lacks some of its scopes")
	}
	q := p
	q.UserID = old.UserID
	next, key, err := auth.NewCredential(q, r, now)
	if err != nil {
		return loci.Credential{}, "", err
	}
	next.Replaces = old.ID
	if err := s.Record(ctx, p, KeyRotate, id.String()); err != nil {
		return loci.Credential{}, "", err
	}
	if err := s.Store.Credentials().Rotate(ctx, next, now, now.Add(overlap)); err != nil {
		return loci.Credential{}, "", err
	}
	return next, key, nil
}

// RevokeKey revokes a key in every process, effective immediately. It fails with NotFound if the
// person has no such key. The operator may revoke anyone's in the org.
func (s *Service) RevokeKey(ctx context.Context, p loci.Principal, id loci.CredentialID) error {
	if err := s.Begin(ctx, p, KeyRevoke); err != nil {
		return err
	}
	return s.revoke(ctx, p, KeyRevoke, id, loci.ByKey)
}

func (s *Service) revoke(ctx context.Context, p loci.Principal, act gate.Action, id loci.CredentialID,
	method loci.Method) error {
	c, err := s.credential(ctx, p, id, method)
	if err != nil {
		return err
	}
	if err := s.Record(ctx, p, act, id.String()); err != nil {
		return err
	}
	if err := s.Store.Credentials().Revoke(ctx, p.OrgID, c.UserID, id, s.Time()); err != nil {
		return err
	}
	return store.ForgetPacks(ctx, s.Store, p.OrgID, c.UserID, id)
}

func errNoKey() error { return loci.Errorf(loci.NotFound, "no such key") }

// credential returns a credential of the person with that method ("" means any), or NotFound. For
// the operator, it returns anyone's in the org.
func (s *Service) credential(ctx context.Context, p loci.Principal, id loci.CredentialID, method loci.Method) (
	loci.Credential, error) {
	q := store.CredentialQuery{OrgID: p.OrgID, UserID: p.UserID, ID: id, Method: method}
	if p.Kind == loci.KindLocal {
		q.UserID = loci.UserID{}
	}
	list, err := s.Store.Credentials().List(ctx, q)
	if err != nil {
		return loci.Credential{}, err
	}
	if len(list) > 0 && !id.IsZero() {
		return list[0], nil
	}
	if method == loci.BySignIn {
		return loci.Credential{}, loci.Errorf(loci.NotFound, "no such sign-in")
	}
	return loci.Credential{}, errNoKey()
}
