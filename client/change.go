package client

import "github.com/loci-memory/loci"

// Change is one field of an Edit: left out (the zero value), cleared, or set.
type Change[T any] = loci.Edited[T]

// Set changes a field to v.
func Set[T any](v T) Change[T] { return loci.Set(v) }

// Clear resets a field to its default: empty, or the value in a new memory.
func Clear[T any]() Change[T] { return loci.Clear[T]() }
