// Package client is the Go SDK for Loci's REST API, and the home of its wire
// structs: what a request body and an answer look like. The server decodes
// into and encodes from these same structs, so the two cannot drift apart.
//
// Memories themselves have one JSON form, that of loci.Memory. The struct tags
// hold the limits that the server checks and documents in /openapi.json; a
// test compares them with the constants of package loci.
package client
