// Package loci defines the types of Loci, one memory for every AI that a person uses: memories and
// who may read them, principals, ids, limits, validation and error codes.
//
// This package needs no database, protocol or process. It imports no other package of the module,
// and every package may import it. The visibility rule (see Viewer.Sees) is written here once.
// Tests compare every other form of the rule with this one.
package loci
