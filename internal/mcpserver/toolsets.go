package mcpserver

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// These are the toolsets.
const (
	toolsetMemory      = "memory"
	toolsetMemoryExtra = "memory-extra"
	toolsetGraph       = "graph"
	toolsetGraphExtra  = "graph-extra"
	toolsetReflect     = "reflect"
	toolsetSession     = "session"
	toolsetTasks       = "tasks"
	toolsetReview      = "review"
	toolsetSearch      = "search"
)

// Toolsets returns the names of all toolsets.
func Toolsets() []string {
	return []string{toolsetMemory, toolsetMemoryExtra, toolsetGraph, toolsetGraphExtra, toolsetReflect, toolsetSession,
		toolsetTasks, toolsetReview, toolsetSearch}
}

// DefaultToolsets returns the toolsets for clients that choose none.
func DefaultToolsets() []string {
	return []string{toolsetMemory, toolsetGraph, toolsetReflect, toolsetSession}
}

// ParseToolsets reads a comma-separated list of names, in any order and with duplicates, and returns them in the
// order of Toolsets. Invalid if a name is unknown or there are none; the error lists the names.
func ParseToolsets(list string) ([]string, error) {
	return checkToolsets(strings.Split(list, ","))
}

func checkToolsets(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(Toolsets(), name) {
			return nil, unknownToolset("contains an unknown toolset")
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil, unknownToolset("is empty")
	}
	return slices.DeleteFunc(Toolsets(), func(name string) bool { return !slices.Contains(out, name) }), nil
}

// unknownToolset does not repeat the name, which is the caller's text.
func unknownToolset(problem string) error {
	return loci.FieldErrorf("toolsets", "%s; choose from %s", problem, strings.Join(Toolsets(), ", "))
}

// offer is what a client is offered: the names of its toolsets, joined by commas.
type offer string

func offerOf(names []string) offer { return offer(strings.Join(names, ",")) }

func (o offer) has(set string) bool { return slices.Contains(strings.Split(string(o), ","), set) }

// graphs reports whether the offer includes anything about projects.
func (o offer) graphs() bool {
	return o.has(toolsetGraph) || o.has(toolsetGraphExtra) || o == offerReference
}

// memories reports whether the offer includes anything about memories.
func (o offer) memories() bool { return o.has(toolsetMemory) || o.has(toolsetMemoryExtra) }

// scope returns what a client should ask for when it first signs in.
func (o offer) scope() string {
	if o == toolsetSearch {
		return string(loci.RightRead)
	}
	var rights []string
	reflects := o.has(toolsetReflect) || o.has(toolsetReview)
	if o.memories() || o.has(toolsetTasks) || reflects || !o.graphs() {
		rights = append(rights, string(loci.RightRead), string(loci.RightWrite))
	}
	if o.graphs() {
		rights = append(rights, string(loci.RightGraph))
	}
	if o.has(toolsetSession) {
		rights = append(rights, string(loci.RightEvents))
	}
	if reflects {
		rights = append(rights, string(loci.RightReflect))
	}
	return strings.Join(rights, " ")
}

// asked returns the offer that the address of a request chooses, or the default of the process.
func (s *Server) asked(r *http.Request) (offer, error) {
	compat, err := ParseCompat(r.URL.Query().Get("compat"))
	if err != nil {
		return "", err
	}
	if compat != "" {
		return offerReference, nil
	}
	list, given := r.URL.Query()["toolsets"]
	if !given {
		return s.offer, nil
	}
	names, err := ParseToolsets(strings.Join(list, ","))
	if err != nil {
		return "", err
	}
	return offerOf(names), nil
}
