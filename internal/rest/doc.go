// Package rest is the JSON API over HTTP: it turns requests into calls of
// the capabilities, and results and errors into answers.
//
// Every route stands once in a table (routes.go) with who may call it, and is
// registered twice: under /api/v1 and at the root path that older clients
// know. The OpenAPI document is made from the same structs that validate.
// What a route does is decided in app; what a caller sees, in the store.
//
// The one invariant: the answer about a memory that the caller may not see is
// byte for byte the answer about one that never existed.
package rest
