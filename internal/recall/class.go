package recall

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/index"
)

// The first byte of a class is one of these formats. A class of another format is visible to nobody.
const (
	classFormat = 1 // of a row with a scope
	workFormat  = 2 // of an event, which has a reach instead
)

// ClassOf returns the visibility class of a row: all that loci.Viewer.Sees reads of its access, except
// its lifecycle. Rows whose vendors are in another order are of one class.
func ClassOf(a *loci.Access) index.Class {
	out, within := []byte{classFormat}, string(a.Scope)
	if a.Reach != "" {
		out[0], within = workFormat, string(a.Reach)
	}
	for _, id := range [...][16]byte{a.UserID, a.WorkspaceID, a.ProjectID, a.AgentID, a.TeamID} {
		out = append(out, id[:]...)
	}
	vendors := slices.Compact(slices.Sorted(slices.Values(a.AllowedVendors)))
	out = appendText(appendText(out, string(a.OrgID)), within)
	for _, v := range vendors {
		out = appendText(out, string(v))
	}
	return index.Class(out)
}

func appendText(out []byte, s string) []byte {
	return append(binary.AppendUvarint(out, uint64(len(s))), s...)
}

// accessOf returns the access that ClassOf encoded. ok is false for anything that it did not write.
func accessOf(c index.Class) (a loci.Access, ok bool) {
	const ids = 5
	if len(c) < 1+ids*16 || c[0] != classFormat && c[0] != workFormat {
		return a, false
	}
	for i, id := range [ids]*[16]byte{(*[16]byte)(&a.UserID), (*[16]byte)(&a.WorkspaceID), (*[16]byte)(&a.ProjectID),
		(*[16]byte)(&a.AgentID), (*[16]byte)(&a.TeamID)} {
		copy(id[:], c[1+i*16:])
	}
	var texts []string
	for rest := []byte(c[1+ids*16:]); len(rest) > 0; {
		n, size := binary.Uvarint(rest)
		if size <= 0 || n > uint64(len(rest)-size) {
			return loci.Access{}, false
		}
		end := size + int(n)
		texts, rest = append(texts, string(rest[size:end])), rest[end:]
	}
	if len(texts) < 2 {
		return loci.Access{}, false
	}
	if a.OrgID = loci.OrgID(texts[0]); c[0] == workFormat {
		a.Reach = loci.Reach(texts[1])
	} else {
		a.Scope = loci.Scope(texts[1])
	}
	for _, v := range texts[2:] {
		a.AllowedVendors = append(a.AllowedVendors, loci.Vendor(v))
	}
	if ClassOf(&a) != c {
		return loci.Access{}, false
	}
	return a, true
}

// Sees returns the classes that a viewer sees. The index holds live rows only, and knows when they
// end. The function remembers its answers, so it serves one search, and one goroutine at a time.
func Sees(v loci.Viewer) func(index.Class) bool {
	return remembered(func(a *loci.Access) bool { return v.Sees(a, loci.LiveOnly, time.Time{}) })
}

func remembered(rule func(*loci.Access) bool) func(index.Class) bool {
	known := map[index.Class]bool{}
	return func(c index.Class) bool {
		sees, ok := known[c]
		if !ok {
			a, valid := accessOf(c)
			sees = valid && rule(&a)
			known[c] = sees
		}
		return sees
	}
}

// SeesGraph returns the classes that a viewer sees of GraphRow in a project.
func SeesGraph(v loci.Viewer, project *loci.Project) func(index.Class) bool {
	return remembered(func(a *loci.Access) bool {
		return v.SeesGraph(project, &loci.GraphAccess{AllowedVendors: a.AllowedVendors}, loci.LiveOnly)
	})
}
