package memory

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
	"github.com/loci-memory/loci/internal/store"
)

// errMoved rolls back a change of a memory that has moved to another project meanwhile.
var errMoved = errors.New("the memory has moved")

// attach runs fn in a transaction on a live memory to which p may add something. It checks before
// the transaction whether the memory's project is active, because a transaction must not wait for
// other files. If the memory moved to another project meanwhile, it repeats both.
func (s *Service) attach(ctx context.Context, p loci.Principal, act gate.Action, id loci.MemoryID,
	fn func(store.Tx, *loci.Memory, *loci.AuditEntry) error) error {
	for {
		m, err := s.attachable(ctx, p, act, id)
		if err != nil {
			return err
		}
		err = s.Write(ctx, p, act, func(tx store.Tx, e *loci.AuditEntry) error {
			now, err := mayAttach(ctx, tx, p, id)
			if err == nil && now.ProjectID != m.ProjectID {
				err = errMoved
			}
			if err != nil {
				return err
			}
			e.Target = id.String()
			return fn(tx, now, e)
		})
		if !errors.Is(err, errMoved) {
			return err
		}
	}
}

// attachable returns a memory to which p may add something now.
func (s *Service) attachable(ctx context.Context, p loci.Principal, act gate.Action, id loci.MemoryID) (
	m *loci.Memory, err error) {
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) (err error) { m, err = mayAttach(ctx, tx, p, id); return err })
	if loci.CodeOf(err) == loci.Forbidden {
		s.Refused(ctx, p, act)
	}
	if err == nil {
		err = s.projects.MustNotBeArchived(ctx, p, m.ProjectID)
	}
	return m, err
}

// mayAttach returns a live memory to which p may add something. If p may not see it, the error is always NotFound.
func mayAttach(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) (*loci.Memory, error) {
	m, err := tx.Memories().Get(ctx, p.Viewer(), id, loci.LiveOnly)
	switch {
	case err != nil:
		return nil, orReplaced(ctx, tx, p, id, loci.Conflict, err)
	case m.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden, "this memory is shared with you; only its owner can add to it")
	case !p.Owns(m.UserID, m.Origin):
		return nil, loci.Errorf(loci.Forbidden,
			"an agent may add only to what its own vendor wrote; write a memory of your own instead")
	}
	return m, nil
}

// mayDetach returns a memory of which p may delete what origin has added to it.
func mayDetach(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID, origin string) (
	*loci.Memory, error) {
	m, err := tx.Memories().Get(ctx, p.Viewer(), id, Within(p))
	switch {
	case err != nil:
		return nil, err
	case m.UserID != p.UserID:
		return nil, loci.Errorf(loci.Forbidden,
			"this memory is shared with you; only its owner can delete what was added to it")
	case !p.Owns(m.UserID, origin):
		return nil, loci.Errorf(loci.Forbidden,
			"an agent may delete only what its own vendor added; ask the person whose memory it is")
	}
	return m, nil
}

// Within returns the states in which p may read one memory. A person may also read one in the
// trash, and one of theirs that has expired.
func Within(p loci.Principal) loci.Lifecycle {
	if p.Vendor == "" {
		return loci.LiveOrTrash
	}
	return loci.LiveOnly
}

// withAttached returns the states in which p may read what is attached to a memory: those of Within, or a superseded
// memory that p may read. NotFound if p may read it in none of them.
func withAttached(ctx context.Context, tx store.Tx, p loci.Principal, id loci.MemoryID) (loci.Lifecycle, error) {
	_, err := tx.Memories().Get(ctx, p.Viewer(), id, Within(p))
	if loci.CodeOf(err) != loci.NotFound {
		return Within(p), err
	}
	_, err = readable(ctx, tx, p, id)
	return loci.AnyState, err
}

// Attached counts what Assets and Sources return.
type Attached struct{ Files, Sources int }

// String returns such as "1 file, 2 sources", or "" for nothing.
func (a Attached) String() string {
	var parts []string
	if a.Files > 0 {
		parts = append(parts, loci.Plural(a.Files, "file", "files"))
	}
	if a.Sources > 0 {
		parts = append(parts, loci.Plural(a.Sources, "source", "sources"))
	}
	return strings.Join(parts, ", ")
}

// Attached counts the files and the sources of a memory that the caller sees. Without a memory that Assets would find,
// there are none.
func (s *Service) Attached(ctx context.Context, p loci.Principal, id loci.MemoryID) (a Attached, err error) {
	if err := s.Begin(ctx, p, AssetRead); err != nil {
		return a, err
	}
	err = s.Store.View(ctx, p.OrgID, func(tx store.Tx) error {
		life, err := withAttached(ctx, tx, p, id)
		if loci.CodeOf(err) == loci.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		files, err := tx.Assets().List(ctx, p.Viewer(), id, life)
		if err != nil {
			return err
		}
		sources, err := tx.Sources().List(ctx, p.Viewer(), []loci.MemoryID{id}, life)
		a = Attached{len(files), len(sources)}
		return err
	})
	return a, err
}

// sniffed is how many bytes of a file are used to detect its media type.
const sniffed = 3072

// These types mean no more than "bytes", "text" and "container".
const (
	plainBytes = "application/octet-stream"
	plainText  = "text/plain"
	zipped     = "application/zip"
	oldOffice  = "application/x-ole-storage"
)

// mediaTypeOf returns the media type of a file from its first bytes. The claimed type counts only
// if it is a more exact name for the detected one: it never turns an image into a page, or a page
// into an image. A table is one by its name as well, because sentences with commas look like one.
func mediaTypeOf(head []byte, name, claimed string) string {
	found := mimetype.Detect(head)
	table := found.Is("text/csv") || found.Is("text/tab-separated-values")
	if table && !strings.EqualFold(path.Ext(name), found.Extension()) {
		found = mimetype.Detect(bytes.ReplaceAll(bytes.ReplaceAll(head, []byte{','}, nil), []byte{'\t'}, nil))
	}
	kind, params, err := mime.ParseMediaType(claimed)
	if err != nil || !strings.Contains(kind, "/") || strings.Contains(kind, "*") || !refines(kind, found) {
		return found.String()
	}
	if !isA(found, plainText) {
		return kind
	}
	charset := strings.ToLower(params["charset"])
	if charset == "" {
		_, params, _ = mime.ParseMediaType(found.String())
		charset = params["charset"]
	}
	if charset == "" {
		return kind
	}
	return mime.FormatMediaType(kind, map[string]string{"charset": charset})
}

// refines reports whether kind is the detected type or a more exact one.
func refines(kind string, found *mimetype.MIME) bool {
	known := mimetype.Lookup(kind)
	family, sub, _ := strings.Cut(kind, "/")
	switch {
	case found.Is(plainBytes):
		// The bytes of a known type would have been recognised.
		return known == nil && (family == "application" || family == "model" || family == "chemical") && !isText(kind)
	case found.Is(plainText):
		return isText(kind)
	case found.Is("text/xml"):
		return family != "image" && (kind == "application/xml" || strings.HasSuffix(sub, "+xml"))
	case found.Is(zipped), found.Is(oldOffice):
		return isA(known, found.String()) || found.Is(zipped) && strings.HasSuffix(sub, "+zip")
	}
	return found.Is(kind)
}

// isA reports whether m is the type or a special case of it.
func isA(m *mimetype.MIME, kind string) bool {
	for ; m != nil; m = m.Parent() {
		if m.Is(kind) {
			return true
		}
	}
	return false
}

// isText reports whether plain text may have that type. The bytes of an image would have been recognised.
func isText(kind string) bool {
	family, sub, _ := strings.Cut(kind, "/")
	if family == "image" {
		return false
	}
	if family == "text" || strings.HasSuffix(sub, "+json") || strings.HasSuffix(sub, "+xml") || kind == "message/rfc822" {
		return true
	}
	switch sub {
	case "json", "xml", "x-ndjson", "jsonl", "yaml", "x-yaml", "toml", "javascript", "ecmascript", "typescript", "sql",
		"graphql", "x-sh", "x-httpd-php", "x-python-code", "x-tex", "x-subrip", "pgp-signature", "pgp-encrypted",
		"x-pem-file":
		return family == "application"
	}
	return false
}
