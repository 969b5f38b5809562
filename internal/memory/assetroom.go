package memory

import (
	"context"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
)

func (s *Service) assetRules(ctx context.Context, p loci.Principal) (loci.AssetRules, error) {
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	return org.Assets, err
}

func tooLarge(rules loci.AssetRules) error {
	return loci.Errorf(loci.TooLarge,
		"an attachment may have at most %d bytes in this org; an owner can allow more with `loci org set ORG asset_bytes=…`",
		rules.Largest())
}

// roomFor returns how many bytes a file with that announced size may have, so that Loci does not
// read a file that it could not keep. The transaction that attaches the file decides whether it
// fits.
func (s *Service) roomFor(ctx context.Context, p loci.Principal, rules loci.AssetRules, size int64) (
	limit int64, err error) {
	limit = rules.Largest()
	if rules.TotalBytes == 0 {
		return limit, nil
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		used, err := tx.Assets().Usage(ctx, loci.UserID{})
		if err != nil {
			return err
		}
		limit = min(limit, max(rules.TotalBytes-used, 0))
		return overTotal(ctx, tx, p, rules, max(size, 0))
	})
	return limit, err
}

// overTotal rejects a file that would exceed the org's limit for all attachments together.
func overTotal(ctx context.Context, tx store.Tx, p loci.Principal, rules loci.AssetRules, size int64) error {
	if rules.TotalBytes == 0 {
		return nil
	}
	used, err := tx.Assets().Usage(ctx, loci.UserID{})
	if err != nil || used+size <= rules.TotalBytes {
		return err
	}
	return errTotal(ctx, tx, p, rules)
}

// overTotal is the refusal of a file that turned out to be too large for what is left.
func (s *Service) overTotal(ctx context.Context, p loci.Principal, rules loci.AssetRules) (err error) {
	return s.Store.View(ctx, p.OrgID, func(tx store.Tx) error { return errTotal(ctx, tx, p, rules) })
}

// errTotal returns the limit and, to a person, how much of it is theirs. It does not reveal what
// others have attached, and agents may not see everything that the person has.
func errTotal(ctx context.Context, tx store.Tx, p loci.Principal, rules loci.AssetRules) error {
	const full = "the attachments of this org may have %d bytes together, and this one does not fit any more"
	if p.Vendor != "" || p.OnlyProjects || !p.WorkspaceID.IsZero() {
		return loci.Errorf(loci.Conflict, full, rules.TotalBytes)
	}
	own, err := tx.Assets().Usage(ctx, p.UserID)
	if err != nil {
		return err
	}
	return loci.Errorf(loci.Conflict,
		full+"; yours have %d. Delete some, or an owner allows more with `loci org set ORG asset_total=…`", rules.TotalBytes,
		own)
}
