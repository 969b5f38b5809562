package loci

import (
	"cmp"
	"fmt"
	"mime"
	"slices"
	"strings"
)

// The limits of attachments.
const (
	DefaultAssetBytes = 25 << 20 // of one, where the org says nothing
	MaxAssetBytes     = 1 << 40  // that an org may set
	MaxAssetTypes     = 50       // patterns in AssetRules
	MaxAssets         = 100      // of one memory
)

// AssetRules say what an org takes as attachments. The zero value is the defaults.
type AssetRules struct {
	MaxBytes   int64    `json:"max_bytes,omitempty" minimum:"0" maximum:"1099511627776" doc:"The largest attachment, in bytes; 0 or absent: 26214400 (25 MiB)" example:"52428800"`
	TotalBytes int64    `json:"total_bytes,omitempty" minimum:"0" maximum:"1099511627776" doc:"All attachments of the org together, in bytes; 0 or absent: no limit"`
	MediaTypes []string `json:"media_types,omitempty" nullable:"false" maxItems:"50" maxLength:"255" doc:"What may be attached, such as application/pdf or image/*; empty or absent: everything"`
}

// Validate returns an Invalid error about the first field that breaks a limit; field is what the caller calls the
// rules. It writes MediaTypes in lower case and drops repetitions.
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

// Largest is how many bytes an attachment may have.
func (r *AssetRules) Largest() int64 { return cmp.Or(r.MaxBytes, DefaultAssetBytes) }

// Takes reports whether something of that media type may be attached. Parameters of the type do not count.
func (r *AssetRules) Takes(mediaType string) bool {
	kind, _, _ := strings.Cut(mediaType, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	family, _, _ := strings.Cut(kind, "/")
	return len(r.MediaTypes) == 0 || slices.Contains(r.MediaTypes, kind) || slices.Contains(r.MediaTypes, family+"/*")
}
