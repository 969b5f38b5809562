package memory

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// Upload is a file to attach.
type Upload struct {
	Name      string
	MediaType string // type that the sender claims; "" if none
	Size      int64  // as announced; below 0: unknown
	Body      io.Reader
}

// Received is a file whose bytes are stored but that is not attached yet. Attach attaches it;
// otherwise a sweep removes the bytes.
type Received struct {
	asset loci.Asset
}

// SHA256 is the hash of the bytes.
func (r *Received) SHA256() string { return r.asset.SHA256 }

// AddAsset attaches a file to a memory: it is Receive and then Attach.
func (s *Service) AddAsset(ctx context.Context, p loci.Principal, id loci.MemoryID,
	u Upload) (asset loci.Asset, added bool, err error) {
	if err := s.Begin(ctx, p, AssetAdd); err != nil {
		return loci.Asset{}, false, err
	}
	r, err := s.receive(ctx, p, id, u)
	if err != nil {
		return loci.Asset{}, false, err
	}
	return s.Attach(ctx, p, r)
}

// Receive stores the bytes of a file to attach to a memory. It reads them once and holds a few KiB. NotFound if the
// memory is not visible; Forbidden if it belongs to another person or, for an agent, has another origin; TooLarge and
// Conflict if the org's limits leave no room, Conflict also if its project is archived; Invalid for a bad name, or a
// media type that the org does not allow. It returns an error of u.Body unchanged.
func (s *Service) Receive(ctx context.Context, p loci.Principal, id loci.MemoryID, u Upload) (*Received, error) {
	if err := s.Begin(ctx, p, AssetAdd); err != nil {
		return nil, err
	}
	return s.receive(ctx, p, id, u)
}

func (s *Service) receive(ctx context.Context, p loci.Principal, id loci.MemoryID, u Upload) (*Received, error) {
	if _, err := s.attachable(ctx, p, AssetAdd, id); err != nil {
		return nil, err
	}
	rules, err := s.assetRules(ctx, p)
	if err != nil {
		return nil, err
	}
	asset := loci.Asset{ID: loci.NewAssetID(), MemoryID: id, UserID: p.UserID, Origin: p.Origin, Name: u.Name,
		CreatedAt: s.Time(),
		MediaType: plainBytes, SHA256: strings.Repeat("0", 64)} // what is not known yet
	if err := asset.Validate(); err != nil {
		return nil, err
	}
	if u.Size > rules.Largest() {
		return nil, tooLarge(rules)
	}
	limit, err := s.roomFor(ctx, p, rules, u.Size)
	if err != nil {
		return nil, err
	}
	body, err := typed(&asset, u)
	if err != nil {
		return nil, err
	}
	if !rules.Takes(asset.MediaType) {
		return nil, loci.FieldErrorf("media_type", "is %s according to the bytes; this org allows %s", asset.MediaType,
			strings.Join(rules.MediaTypes, ", "))
	}
	sum, size, err := s.Store.Blobs().Put(ctx, p.OrgID, body, limit)
	switch {
	case loci.CodeOf(err) == loci.TooLarge && limit < rules.Largest():
		return nil, s.overTotal(ctx, p, rules)
	case loci.CodeOf(err) == loci.TooLarge:
		return nil, tooLarge(rules)
	case err != nil:
		return nil, err
	}
	asset.SHA256, asset.Size = hex.EncodeToString(sum[:]), size
	return &Received{asset}, nil
}

// typed reads enough of a file to detect its type, and returns a reader of the whole file.
func typed(asset *loci.Asset, u Upload) (io.Reader, error) {
	head := make([]byte, sniffed)
	n, err := io.ReadFull(u.Body, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	if asset.MediaType = mediaTypeOf(head[:n], asset.Name, u.MediaType); len(asset.MediaType) > loci.MaxMediaType {
		asset.MediaType = mediaTypeOf(head[:n], asset.Name, "")
	}
	return io.MultiReader(bytes.NewReader(head[:n]), u.Body), nil
}

// Attach attaches a file that Receive has stored, as a part of the same action: only Receive is
// metered. If the same writer has already attached the same bytes with the same name to the
// memory, Attach returns that attachment, and added is false. Its errors are those of Receive;
// Conflict also if the memory has too many attachments, or if a day has passed since.
func (s *Service) Attach(ctx context.Context, p loci.Principal, r *Received) (asset loci.Asset, added bool, err error) {
	if err := s.Also(ctx, p, AssetAdd); err != nil {
		return loci.Asset{}, false, err
	}
	rules, err := s.assetRules(ctx, p)
	if err != nil {
		return loci.Asset{}, false, err
	}
	err = s.attach(ctx, p, AssetAdd, r.asset.MemoryID, func(tx store.Tx, m *loci.Memory, e *loci.AuditEntry) error {
		have, err := tx.Assets().List(ctx, p.Viewer(), m.ID, loci.LiveOnly)
		if err != nil {
			return err
		}
		for _, other := range have {
			// All attachments are of the memory's owner.
			if other.Name == r.asset.Name && other.SHA256 == r.asset.SHA256 && other.Origin == p.Origin {
				asset, added, e.Action, e.Target = other, false, "", other.ID.String()
				gate.ChangedOnly(ctx)
				return nil
			}
		}
		if len(have) >= loci.MaxAssets {
			return loci.Errorf(loci.Conflict, "the memory has %d attachments, which is the limit; delete one first",
				loci.MaxAssets)
		}
		if err := overTotal(ctx, tx, p, rules, r.asset.Size); err != nil {
			return err
		}
		asset, added, e.Target = r.asset, true, r.asset.ID.String()
		if err := tx.Assets().Insert(ctx, r.asset); err != nil {
			return err
		}
		return tx.Feed().Attached(ctx, m, p.Origin, m.AllowedVendors)
	})
	if err != nil {
		return loci.Asset{}, false, err
	}
	return asset, added, nil
}

// Assets returns the attachments of a memory, oldest first, also of a superseded one. For a person it also works if
// the memory is in the trash. NotFound if the memory is not visible.
func (s *Service) Assets(ctx context.Context, p loci.Principal, id loci.MemoryID) (list []loci.Asset, err error) {
	if err := s.Begin(ctx, p, AssetRead); err != nil {
		return nil, err
	}
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) ([]loci.Asset, error) {
		life, err := withAttached(ctx, tx, p, id)
		if err != nil {
			return nil, err
		}
		return tx.Assets().List(ctx, p.Viewer(), id, life)
	})
}

// Asset returns an attachment. NotFound if its memory is not visible.
func (s *Service) Asset(ctx context.Context, p loci.Principal, id loci.AssetID) (loci.Asset, error) {
	if err := s.Begin(ctx, p, AssetRead); err != nil {
		return loci.Asset{}, err
	}
	return s.asset(ctx, p, id)
}

func (s *Service) asset(ctx context.Context, p loci.Principal, id loci.AssetID) (asset loci.Asset, err error) {
	return gate.View(ctx, s.Gate, p, func(tx store.Tx) (loci.Asset, error) {
		a, err := tx.Assets().Get(ctx, p.Viewer(), id, loci.AnyState)
		if err != nil {
			return a, err
		}
		if _, err = withAttached(ctx, tx, p, a.MemoryID); loci.CodeOf(err) == loci.NotFound {
			return tx.Assets().Get(ctx, p.Viewer(), id, Within(p)) // with the error for an unknown one
		}
		return a, err
	})
}

// OpenAsset returns an attachment and its bytes, which the caller closes. NotFound as for Asset; Unavailable if the
// bytes are missing.
func (s *Service) OpenAsset(ctx context.Context, p loci.Principal, id loci.AssetID) (
	loci.Asset, io.ReadSeekCloser, error) {
	if err := s.Begin(ctx, p, AssetRead); err != nil {
		return loci.Asset{}, nil, err
	}
	asset, err := s.asset(ctx, p, id) // anyone who knows the hash could claim the bytes
	if err != nil {
		return loci.Asset{}, nil, err
	}
	sum, err := hex.DecodeString(asset.SHA256)
	if err != nil {
		return loci.Asset{}, nil, err
	}
	f, err := s.Store.Blobs().Open(ctx, p.OrgID, [32]byte(sum))
	if loci.CodeOf(err) == loci.NotFound {
		err = loci.WrapError(loci.Unavailable, err,
			"the bytes of this attachment are missing on the server; `loci doctor` says which, a backup has them")
	}
	if err != nil {
		return loci.Asset{}, nil, err
	}
	return asset, f, nil
}

// DeleteAsset permanently deletes an attachment. A later sweep removes its bytes, unless another attachment has the
// same. NotFound if its memory is not visible. Forbidden if the memory belongs to another person; for an agent, if
// another origin attached it; and if the org requires step-up for deletion.
func (s *Service) DeleteAsset(ctx context.Context, p loci.Principal, id loci.AssetID) error {
	if err := s.Begin(ctx, p, AssetDelete); err != nil {
		return err
	}
	return s.Write(ctx, p, AssetDelete, func(tx store.Tx, e *loci.AuditEntry) error {
		asset, err := tx.Assets().Get(ctx, p.Viewer(), id, Within(p))
		if err != nil {
			return err
		}
		m, err := mayDetach(ctx, tx, p, asset.MemoryID, asset.Origin)
		if err != nil {
			return err
		}
		e.Target = id.String()
		if err := tx.Assets().Remove(ctx, id); err != nil {
			return err
		}
		return tx.Feed().Attached(ctx, m, p.Origin, m.AllowedVendors)
	})
}

func (s *Service) assetRules(ctx context.Context, p loci.Principal) (loci.AssetRules, error) {
	org, err := s.Store.Orgs().Get(ctx, p.OrgID)
	return org.Assets, err
}

func tooLarge(rules loci.AssetRules) error {
	return loci.Errorf(loci.TooLarge,
		"an attachment may have at most %d bytes in this org; an owner can allow more with `loci org set ORG asset_bytes=…`",
		rules.Largest())
}

// roomFor returns how many bytes a file with that announced size may have, so that Loci does not read a file that it
// could not keep. The transaction that attaches the file decides whether it fits.
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
