package loci

import (
	"cmp"
	"fmt"
	"mime"
	"slices"
	"strings"
)

// Limits of attachments.
const (
	DefaultAssetBytes = 25 << 20 // bytes in one attachment, if the org sets no limit
	MaxAssetBytes     = 1 << 40  // the highest limit an org may set
	MaxAssetTypes     = 50       // patterns in AssetRules
	MaxAssets         = 100      // attachments of one memory
)

// AssetRules are an org's limits for attachments. The zero value means the defaults.
type AssetRules struct {
	MaxBytes   int64    `json:"max_bytes,omitempty" minimum:"0" maximum:"1099511627776" doc:"Maximum size of one attachment in bytes. If 0 or absent: 26214400 (25 MiB)" example:"52428800"`
	TotalBytes int64    `json:"total_bytes,omitempty" minimum:"0" maximum:"1099511627776" doc:"Maximum size of all attachments of the org together, in bytes. If 0 or absent: no limit"`
	MediaTypes []string `json:"media_types,omitempty" nullable:"false" maxItems:"50" maxLength:"255" doc:"Allowed media types, such as application/pdf or image/*. If empty or absent: all"`
}

// Validate returns an Invalid error for the first field that breaks a limit. field is the caller's
// name for the rules. Validate converts MediaTypes to lower case and removes duplicates.
func (r *AssetRules) Validate(field string) error {
	for _, n := range []struct {
		name  string
		bytes int64
	}{{"max_bytes", r.MaxBytes}, {"total_bytes", r.TotalBytes}} {
		if n.bytes < 0 || n.bytes > MaxAssetBytes {
			return FieldErrorf(field+"."+n.name, "must be from 0 (the default) to %d bytes", int64(MaxAssetBytes))
		}
	}
	if len(r.MediaTypes) > MaxAssetTypes {
		return FieldErrorf(field+".media_types", "has %d entries; at most %d are allowed", len(r.MediaTypes), MaxAssetTypes)
	}
	for i, t := range r.MediaTypes {
		r.MediaTypes[i] = strings.ToLower(t)
		if !isTypePattern(t) {
			return FieldErrorf(fmt.Sprintf("%s.media_types[%d]", field, i),
				"must be a media type such as application/pdf, or a family such as image/*")
		}
	}
	r.MediaTypes = Unique(r.MediaTypes)
	return nil
}

func isTypePattern(t string) bool {
	kind, rest, err := mime.ParseMediaType(t)
	family, sub, ok := strings.Cut(kind, "/")
	return err == nil && ok && len(rest) == 0 && len(t) <= MaxMediaType && !strings.Contains(family, "*") &&
		(sub == "*" || !strings.Contains(sub, "*")) &&
		strings.EqualFold(kind, t)
}

// Largest returns the maximum size of an attachment, in bytes.
func (r *AssetRules) Largest() int64 { return cmp.Or(r.MaxBytes, DefaultAssetBytes) }

// Takes reports whether the rules allow an attachment of that media type. It ignores parameters of the type.
func (r *AssetRules) Takes(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	family, _, _ := strings.Cut(kind, "/")
	return len(r.MediaTypes) == 0 || slices.Contains(r.MediaTypes, kind) || slices.Contains(r.MediaTypes, family+"/*")
}
