//go:build !unix

package indexing

import "os"

type mapping struct{ data []byte }

// mapFile reads a file: a mapped one could not be removed here.
func mapFile(path string) (*mapping, error) {
	data, err := os.ReadFile(path)
	return &mapping{data}, err
}

// syncDir does nothing: the system has no such call for directories.
func syncDir(string) error { return nil }
