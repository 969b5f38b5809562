// Package client is the Go SDK for Loci's REST API. It also defines the JSON of requests and answers. The server
// decodes and encodes these same structs, so client and server can't drift apart.
//
// Memories have one JSON form, that of loci.Memory. The struct tags contain the limits that the server checks and
// documents in /openapi.json. A test compares them with the constants of package loci.
package client
