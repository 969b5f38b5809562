package sqlstore

import (
	"encoding/binary"
	"errors"
	"slices"
	"time"

	"github.com/loci-memory/loci"
)

// The feed stores the fields that decide who sees a row, for any state of the row. Next to each
// change it packs them as a byte of flags, the reach if there is one instead of a scope, the person,
// the ids that the flags announce, and the vendors unless all are allowed.
const (
	packedScope     = 3 // position in packedScopes, or packedReach
	packedReach     = 3
	packedWorkspace = 1 << 2
	packedProject   = 1 << 3
	packedAgent     = 1 << 4
	packedTeam      = 1 << 5
	packedTrashed   = 1 << 6
	packedAnyVendor = 1 << 7
)

var (
	packedScopes  = []loci.Scope{loci.ScopeGlobal, loci.ScopeProject, loci.ScopeAgent}
	packedReaches = []loci.Reach{loci.ReachOrg, loci.ReachTeam, loci.ReachPrivate}
)

var errPacked = errors.New("the stored access of a change is damaged")

// packAccess returns nil for an empty list.
func packAccess(list []loci.Access) (b []byte, err error) {
	for i := range list {
		a := &list[i]
		bits, reach := slices.Index(packedScopes, a.Scope), slices.Index(packedReaches, a.Reach)
		if (bits < 0) == (reach < 0) {
			return nil, errPacked
		}
		at := len(b)
		b = append(b, 0)
		if reach >= 0 {
			bits = packedReach
			b = append(b, byte(reach)) // #nosec G115 -- one of three
		}
		b = append(b, a.UserID[:]...)
		for _, id := range []struct {
			bit int
			id  [16]byte
		}{{packedWorkspace, a.WorkspaceID}, {packedProject, a.ProjectID}, {packedAgent, a.AgentID}, {packedTeam, a.TeamID}} {
			if id.id != [16]byte{} {
				bits |= id.bit
				b = append(b, id.id[:]...)
			}
		}
		if !a.DeletedAt.IsZero() {
			bits |= packedTrashed
		}
		if slices.Contains(a.AllowedVendors, loci.AnyVendor) {
			bits |= packedAnyVendor
		} else {
			b = packVendors(b, a.AllowedVendors)
		}
		b[at] = byte(bits)
	}
	return b, nil
}

func packVendors(b []byte, vendors []loci.Vendor) []byte {
	b = binary.AppendUvarint(b, uint64(len(vendors)))
	for _, v := range vendors {
		b = binary.AppendUvarint(b, uint64(len(v)))
		b = append(b, v...)
	}
	return b
}

// unpackAccess returns what packAccess stored. The time of trashing is not stored.
func (tx *Tx) unpackAccess(b []byte) (list []loci.Access, err error) {
	p := packed{b}
	for len(p.rest) > 0 {
		bits := int(p.take(1)[0])
		a := loci.Access{OrgID: tx.Org}
		if scope := bits & packedScope; scope < len(packedScopes) {
			a.Scope = packedScopes[scope]
		} else if reach := p.take(1); reach != nil && int(reach[0]) < len(packedReaches) {
			a.Reach = packedReaches[reach[0]]
		} else {
			return nil, errPacked
		}
		a.UserID, a.WorkspaceID, a.ProjectID = p.id(true), p.id(bits&packedWorkspace != 0), p.id(bits&packedProject != 0)
		a.AgentID, a.TeamID = p.id(bits&packedAgent != 0), p.id(bits&packedTeam != 0)
		if bits&packedTrashed != 0 {
			a.DeletedAt = time.UnixMicro(0)
		}
		if bits&packedAnyVendor != 0 {
			a.AllowedVendors = []loci.Vendor{loci.AnyVendor}
		} else {
			for range p.number() {
				a.AllowedVendors = append(a.AllowedVendors, loci.Vendor(p.take(p.number())))
			}
		}
		if p.rest == nil {
			return nil, errPacked
		}
		list = append(list, a)
	}
	return list, nil
}

// packed is the rest that has not been read. It is nil if the data ended too early.
type packed struct{ rest []byte }

func (p *packed) take(n int) []byte {
	if n > len(p.rest) {
		p.rest = nil
		return nil
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b
}

func (p *packed) id(there bool) (id [16]byte) {
	if there {
		copy(id[:], p.take(len(id)))
	}
	return id
}

// number reads a count or length. It is never larger than the rest.
func (p *packed) number() int {
	n, size := binary.Uvarint(p.rest)
	if size <= 0 || n > uint64(len(p.rest)) {
		p.rest = nil
		return 0
	}
	p.rest = p.rest[size:]
	return int(n)
}
