package rest

import (
	"strconv"
	"strings"

	"github.com/loci-memory/loci"
)

func etag(m *loci.Memory) string { return versionTag(m.Version) }

func versionTag(version int) string { return `"` + strconv.Itoa(version) + `"` }

// ifVersion reads If-Match: the version to change, or 0 for any. A proxy that
// compresses may have made the tag weak; it still names the version.
func ifVersion(header string) (int, error) {
	header = strings.TrimSpace(header)
	if header == "" || header == "*" {
		return 0, nil
	}
	n, ok := tagVersion(header)
	if !ok {
		return 0, loci.FieldErrorf("If-Match", `must be a version as in an ETag, such as "3", or *`)
	}
	return n, nil
}

func noneMatch(header string, m *loci.Memory) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" {
			return true
		}
		if n, ok := tagVersion(tag); ok && n == m.Version {
			return true
		}
	}
	return false
}

func tagVersion(tag string) (int, bool) {
	tag = strings.TrimPrefix(tag, "W/")
	if len(tag) > 1 && tag[0] == '"' && tag[len(tag)-1] == '"' {
		tag = tag[1 : len(tag)-1]
	}
	n, err := strconv.Atoi(tag)
	return n, err == nil && n > 0 && tag[0] != '+'
}
