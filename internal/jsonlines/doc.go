// Package jsonlines reads and writes files of one JSON value a line, for exports and imports.
package jsonlines
