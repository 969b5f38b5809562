//go:build unix

package clientfile

import (
	"os"
	"syscall"
)

// hasOtherLinks reports whether a file has several names.
func hasOtherLinks(name string) bool {
	info, err := os.Lstat(name)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && stat.Nlink > 1
}
