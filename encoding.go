package loci

import "strings"

// TakesGzip reads the header Accept-Encoding of a request.
func TakesGzip(accepted string) bool {
	for one := range strings.SplitSeq(strings.ToLower(accepted), ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(one, " ", ""), ";q=")
		if name == "gzip" {
			return strings.Trim(quality, "0.") != "" || quality == ""
		}
	}
	return false
}
