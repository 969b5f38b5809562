// Package rest is the JSON API over HTTP. It turns requests into calls of the
// capabilities, and results and errors into answers.
//
// Each file defines the routes of one subject, their handlers and their examples. A route states who may call it and
// which action it carries out. It is registered twice: under /api/v1 and at the root path that older clients use. The
// OpenAPI document comes from the same structs that validate requests. plain.go answers the most frequent requests
// without the reflection that this takes. The capabilities decide what a route does, and the store what a caller
// sees.
//
// The one invariant: the answer about a memory that the caller may not see equals,
// byte for byte, the answer about a memory that never existed.
package rest
