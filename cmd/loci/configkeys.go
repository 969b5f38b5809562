package main

import (
	"slices"
	"strings"

	"github.com/loci-memory/loci"
)

// unknownKey refuses a key of a configuration file, or a section without keys.
func unknownKey(file, key string) error {
	what, known := "key", knownKeys()
	if section, empty := strings.CutSuffix(key, "/"); empty {
		key, what, known = section, "section", sections()
	}
	return loci.Errorf(loci.Invalid, "configuration file %s: unknown %s %q%s; known %ss: %s", file, what, dotted(key),
		didYouMean(dotted(key), known), what, strings.Join(known, ", "))
}

// sections returns the sections that a configuration file may have.
func sections() []string {
	names := []string{"keys", "keys.agents", "oidc", "oidc.<id>"}
	for _, t := range known {
		if section, _, ok := strings.Cut(t.key, "/"); ok {
			names = append(names, section)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isSection reports whether a configuration file may have a section, without its last slash.
func isSection(name string) bool {
	provider, ok := strings.CutPrefix(name, "oidc/")
	return slices.Contains(sections(), dotted(name)) || ok && !strings.Contains(provider, "/")
}

// flatten puts the leaves of a tree into values, with the path of each as its key. The key of an unknown section
// without leaves ends in a slash.
func flatten(values map[string]any, prefix string, tree map[string]any) {
	for key, value := range tree {
		if below, ok := value.(map[string]any); ok {
			if len(below) == 0 && !isSection(prefix+key) {
				values[prefix+key+"/"] = nil
			}
			flatten(values, prefix+key+"/", below)
		} else {
			values[prefix+key] = value
		}
	}
}

func dotted(key string) string { return strings.ReplaceAll(key, "/", ".") }

func knownKeys() []string {
	names := []string{"keys.agents.<vendor>", "oidc.<id>"}
	for _, t := range known {
		names = append(names, dotted(t.key))
	}
	slices.Sort(names)
	return names
}
