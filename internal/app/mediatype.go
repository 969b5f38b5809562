package app

import (
	"bytes"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// sniffed is how many bytes of a file decide about its media type.
const sniffed = 1024

// Types that mean no more than "bytes" and "text".
const (
	plainBytes = "application/octet-stream"
	plainText  = "text/plain"
)

// signatures are those that net/http does not know, or takes for something more general.
var signatures = []struct {
	at    int
	bytes string
	kind  string
}{
	{0, "SQLite format 3\x00", "application/vnd.sqlite3"}, {0, "7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"}, {0, "\xfd7zXZ\x00", "application/x-xz"},
	{0, "\x28\xb5\x2f\xfd", "application/zstd"}, {0, "BZh", "application/x-bzip2"}, {257, "ustar", "application/x-tar"},
	{0, "II*\x00", "image/tiff"}, {0, "MM\x00*", "image/tiff"}, {0, "8BPS", "image/vnd.adobe.photoshop"}, {0, "\xff\x0a", "image/jxl"},
	{0, "\x00\x00\x00\x0cJXL \x0d\x0a\x87\x0a", "image/jxl"}, {0, "\x00\x00\x00\x0cjP  \x0d\x0a\x87\x0a", "image/jp2"},
	{4, "ftypavif", "image/avif"}, {4, "ftypheic", "image/heic"}, {4, "ftypheix", "image/heic"}, {4, "ftypmif1", "image/heif"},
	{4, "ftypM4A ", "audio/mp4"}, {4, "ftypqt  ", "video/quicktime"}, {0, "fLaC", "audio/flac"}, {0, "\xff\xf1", "audio/aac"}, {0, "\xff\xf9", "audio/aac"},
	{0, "\x7fELF", "application/x-elf"}, {0, "MZ", "application/vnd.microsoft.portable-executable"}, {0, "\xcf\xfa\xed\xfe", "application/x-mach-binary"},
	{0, "\xca\xfe\xba\xbe", "application/java-vm"}, {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", oldOffice}, {0, "{\\rtf", "application/rtf"},
}

// Containers of which the signature says less than who sends one knows.
const (
	oldOffice = "application/x-ole-storage"
	zipped    = "application/zip"
)

// mediaTypeOf says what bytes are by how they begin. What the sender claims counts only where it says more of what they
// are taken for: it never makes an image of a page, or a page of an image.
func mediaTypeOf(head []byte, claimed string) string {
	found := detect(head)
	kind, params, err := mime.ParseMediaType(claimed)
	if err != nil || !strings.Contains(kind, "/") || strings.Contains(kind, "*") {
		return found
	}
	switch base, _, _ := strings.Cut(found, ";"); {
	case base == plainText && isText(kind), base == "text/xml" && isXML(kind):
		if charset := params["charset"]; charset != "" {
			return mime.FormatMediaType(kind, map[string]string{"charset": strings.ToLower(charset)})
		}
		return kind + strings.TrimPrefix(found, base)
	case base == plainBytes && isOpaque(kind), base == zipped && isZipped(kind), base == oldOffice && isOldOffice(kind):
		return kind
	}
	return found
}

func detect(head []byte) string {
	head = head[:min(len(head), sniffed)]
	for _, s := range signatures {
		if len(head) >= s.at+len(s.bytes) && string(head[s.at:s.at+len(s.bytes)]) == s.bytes {
			return s.kind
		}
	}
	found := http.DetectContentType(head)
	base, _, _ := strings.Cut(found, ";")
	if (base == plainText || base == "text/xml") && isSVG(head) {
		return "image/svg+xml"
	}
	if strings.HasSuffix(found, "; charset=utf-8") && !isUTF8(head) { // it only supposes so
		return base
	}
	return found
}

// isSVG looks for the element, which may follow a declaration and comments.
func isSVG(head []byte) bool {
	at := bytes.Index(head, []byte("<svg"))
	return at >= 0 && at+4 < len(head) && bytes.IndexByte([]byte(" \t\r\n>/"), head[at+4]) >= 0 && bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("<"))
}

// isUTF8 lets the last character be cut.
func isUTF8(head []byte) bool {
	for n := 0; n < utf8.UTFMax && n <= len(head); n++ {
		if utf8.Valid(head[:len(head)-n]) {
			return n == 0 || !utf8.FullRune(head[len(head)-n:])
		}
	}
	return false
}

// isText reports whether text may be of that type.
func isText(kind string) bool {
	family, sub, _ := strings.Cut(kind, "/")
	if family == "text" || strings.HasSuffix(sub, "+json") || isXML(kind) && family != "image" || kind == "message/rfc822" {
		return true
	}
	switch kind {
	case "application/json", "application/x-ndjson", "application/jsonl", "application/yaml", "application/x-yaml", "application/toml", "application/javascript",
		"application/ecmascript", "application/typescript", "application/sql", "application/graphql", "application/x-sh", "application/x-httpd-php",
		"application/x-python-code", "application/x-tex", "application/x-subrip", "application/pgp-signature", "application/pgp-encrypted", "application/x-pem-file":
		return true
	}
	return false
}

// isXML reports whether it is a type of XML. An image of it has to begin like one.
func isXML(kind string) bool {
	return kind == "text/xml" || kind == "application/xml" || strings.HasSuffix(kind, "+xml") && !strings.HasPrefix(kind, "image/")
}

// isOpaque reports whether bytes without a known signature may be of that type. Images, sound, films, fonts and archives have
// one.
func isOpaque(kind string) bool {
	family, sub, _ := strings.Cut(kind, "/")
	switch {
	case family == "model" || family == "chemical":
		return true
	case family != "application" || isText(kind) || strings.HasSuffix(sub, "+zip") || isZipped(kind) || isOldOffice(kind):
		return false
	}
	for _, s := range signatures {
		if s.kind == kind {
			return false
		}
	}
	switch kind {
	case "application/pdf", zipped, "application/gzip", "application/x-gzip", "application/x-rar-compressed", "application/wasm", "application/ogg", "application/postscript",
		"application/vnd.ms-fontobject", "application/x-shockwave-flash":
		return false
	}
	return true
}

func isZipped(kind string) bool {
	return strings.HasPrefix(kind, "application/vnd.openxmlformats-officedocument.") || strings.HasPrefix(kind, "application/vnd.oasis.opendocument.") ||
		strings.HasSuffix(kind, "+zip") || kind == "application/java-archive" || kind == "application/vnd.android.package-archive" ||
		strings.HasPrefix(kind, "application/vnd.ms-") && strings.HasSuffix(kind, "enabled.12")
}

func isOldOffice(kind string) bool {
	return kind == "application/msword" || strings.HasPrefix(kind, "application/vnd.ms-") && !strings.HasSuffix(kind, "enabled.12") && kind != "application/vnd.ms-fontobject"
}
