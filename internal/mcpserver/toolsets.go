package mcpserver

// The toolsets. Those of seeds that are not built yet have no tools.
const (
	toolsetMemory     = "memory"
	toolsetGraph      = "graph"
	toolsetGraphExtra = "graph-extra"
	toolsetReflect    = "reflect"
	toolsetSession    = "session"
)

// Toolsets returns the names of all toolsets.
func Toolsets() []string {
	return []string{toolsetMemory, toolsetGraph, toolsetGraphExtra, toolsetReflect, toolsetSession}
}

// DefaultToolsets returns those that are offered where nobody chooses.
func DefaultToolsets() []string {
	return []string{toolsetMemory, toolsetGraph, toolsetReflect, toolsetSession}
}
