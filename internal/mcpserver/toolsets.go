package mcpserver

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// The toolsets. Those of seeds that are not built yet have no tools.
const (
	toolsetMemory      = "memory"
	toolsetMemoryExtra = "memory-extra"
	toolsetGraph       = "graph"
	toolsetGraphExtra  = "graph-extra"
	toolsetReflect     = "reflect"
	toolsetSession     = "session"
)

// Toolsets returns the names of all toolsets.
func Toolsets() []string {
	return []string{toolsetMemory, toolsetMemoryExtra, toolsetGraph, toolsetGraphExtra, toolsetReflect, toolsetSession}
}

// DefaultToolsets returns those that are offered where nobody chooses.
func DefaultToolsets() []string {
	return []string{toolsetMemory, toolsetGraph, toolsetReflect, toolsetSession}
}

// ParseToolsets reads names that are separated by commas, in any order and
// also twice, and returns them in the order of Toolsets. Invalid, with those
// that there are, for an unknown name and for no name at all.
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
			return nil, unknownToolset("has a toolset that is unknown")
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil, unknownToolset("names no toolset")
	}
	return slices.DeleteFunc(Toolsets(), func(name string) bool { return !slices.Contains(out, name) }), nil
}

// unknownToolset does not repeat the name: it is the caller's text.
func unknownToolset(problem string) error {
	return loci.FieldErrorf("toolsets", "%s; there are %s", problem, strings.Join(Toolsets(), ", "))
}

// offer is what a client is offered: the names of its toolsets that have tools,
// joined by commas.
type offer string

func offerOf(names []string) offer {
	with := slices.DeleteFunc(slices.Clone(names), isEmpty)
	return offer(strings.Join(with, ","))
}

// isEmpty reports whether a toolset has no tools in this version.
func isEmpty(set string) bool {
	return !slices.ContainsFunc(tools, func(t tool) bool { return t.set == set })
}

func (o offer) has(set string) bool { return slices.Contains(strings.Split(string(o), ","), set) }

// graphs reports whether anything about projects is in the offer.
func (o offer) graphs() bool { return o.has(toolsetGraph) || o.has(toolsetGraphExtra) }

// memories reports whether anything about memories is in the offer.
func (o offer) memories() bool { return o.has(toolsetMemory) || o.has(toolsetMemoryExtra) }

// scope is what a client asks for when it asks for the first time.
func (o offer) scope() string {
	var rights []string
	if o.memories() || !o.graphs() {
		rights = append(rights, string(loci.RightRead), string(loci.RightWrite))
	}
	if o.graphs() {
		rights = append(rights, string(loci.RightGraph))
	}
	return strings.Join(rights, " ")
}

// asked returns what the address of a request asks for, or the default of the
// process.
func (s *Server) asked(r *http.Request) (offer, error) {
	list, given := r.URL.Query()["toolsets"]
	if !given {
		return s.offer, nil
	}
	names, err := ParseToolsets(strings.Join(list, ","))
	if err != nil {
		return "", err
	}
	s.noteEmpty(names)
	return offerOf(names), nil
}

// noteEmpty says, once for each, that a toolset that somebody asks for has no
// tools in this version.
func (s *Server) noteEmpty(names []string) {
	for _, name := range names {
		if !isEmpty(name) {
			continue
		}
		if _, said := s.noted.LoadOrStore(name, true); !said {
			s.log.Warn("this toolset has no tools in this version", "toolset", name)
		}
	}
}
