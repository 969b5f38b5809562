package memory

import (
	"bytes"
	"mime"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

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
