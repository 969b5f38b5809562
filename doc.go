// Package loci holds the nouns of Loci, one memory for every AI that a person
// uses: memories and who may read them, principals, ids, limits, validation
// and error codes.
//
// Everything here is true of the thing itself, without any database, protocol
// or process: the package imports nothing of the module, and everything else
// may import it. The one invariant: the visibility rule (see Viewer.Sees) is
// written here once, and every other form of it is tested against this one.
package loci
