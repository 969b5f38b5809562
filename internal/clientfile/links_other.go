//go:build !unix

package clientfile

// hasOtherLinks reports whether a file has several names, which Loci cannot tell here.
func hasOtherLinks(string) bool { return false }
