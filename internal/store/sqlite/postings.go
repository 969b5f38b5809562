package sqlite

import (
	"encoding/hex"
	"slices"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store/sqlitedb"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// A posting records that a vendor may see a row in a pool, with one property of the row to look
// for. A reader's list merges the ranges for each pool that the reader reaches, each vendor value
// that admits the reader, and each requested token.
type posting struct {
	pool          pool
	vendor, token string
	at            int64 // the time that orders the list
	expires       int64 // 0 if it never expires; then expiring is false
	expiring      bool
	ofAgent       bool         // agent scope: only its owner and agent may see it
	agent         loci.AgentID // that agent; zero if none
	workspace     loci.WorkspaceID
}

// pool identifies who reaches a row. Its letter makes sure that a user's id never equals a team's.
type pool [17]byte

func newPool(kind byte, id [16]byte) (p pool) {
	p[0] = kind
	copy(p[1:], id[:])
	return p
}

const (
	userPool    = 'u'
	teamPool    = 't'
	projectPool = 'p'
)

// These are the tokens. A trashed row has tokenTrash, ordered by the time of trashing. Trashed
// and superseded rows have tokenPast. Live rows have the other tokens that apply to them. A token
// costs nothing for rows that it does not apply to.
const (
	tokenLive    = ""
	tokenTag     = "t:"
	tokenOrigin  = "o:"
	tokenKey     = "k:"
	tokenScope   = "c:" // not for global ones, which most are
	tokenProject = "j:"
	tokenAgent   = "a:"
	tokenSession = "s:"
	tokenPinned  = "!"
	tokenTrash   = "d"
	tokenPast    = "p"
)

// These are the vendor values. A row that every vendor may see has only vendorAny. Any other row
// has the names of its vendors, and vendorNone for people. A row that lists many vendors has
// vendorListed instead, and the query must read its list.
const (
	vendorAny    = "*"
	vendorNone   = ""
	vendorListed = "+"
	maxNamed     = 6
)

// postingsOf derives a row's postings.
func postingsOf(m *loci.Memory) []posting {
	base := posting{workspace: m.WorkspaceID}
	if m.Scope == loci.ScopeAgent {
		base.ofAgent, base.agent = true, m.AgentID
	}
	var list []posting
	pools, vendors := poolsOf(m), vendorsOf(m.AllowedVendors)
	add := func(p posting) {
		for _, p.pool = range pools {
			for _, p.vendor = range vendors {
				list = append(list, p)
			}
		}
	}
	base.at = m.CreatedAt.UnixMicro()
	if !m.DeletedAt.IsZero() || !m.SupersededBy.IsZero() {
		base.token = tokenPast
		add(base)
		if !m.DeletedAt.IsZero() {
			base.token, base.at = tokenTrash, m.DeletedAt.UnixMicro()
			add(base)
		}
		return list
	}
	if !m.ExpiresAt.IsZero() {
		base.expires, base.expiring = m.ExpiresAt.UnixMicro(), true
	}
	for _, token := range liveTokens(m) {
		base.token = token
		add(base)
	}
	return list
}

func poolsOf(m *loci.Memory) []pool {
	pools := []pool{newPool(userPool, m.UserID)}
	if !m.TeamID.IsZero() {
		pools = append(pools, newPool(teamPool, m.TeamID))
	}
	if m.Scope == loci.ScopeProject && !m.ProjectID.IsZero() {
		pools = append(pools, newPool(projectPool, m.ProjectID))
	}
	return pools
}

func vendorsOf(allowed []loci.Vendor) []string {
	names := unique(allowed)
	if slices.Contains(names, vendorAny) {
		return []string{vendorAny}
	}
	if len(names) > maxNamed {
		return []string{vendorNone, vendorListed}
	}
	return append(names, vendorNone)
}

func liveTokens(m *loci.Memory) []string {
	tokens := []string{tokenLive, tokenOrigin + m.Origin}
	for _, tag := range unique(m.Tags) {
		tokens = append(tokens, tokenTag+tag)
	}
	if m.Key != "" {
		tokens = append(tokens, tokenKey+m.Key)
	}
	if m.Scope != loci.ScopeGlobal {
		tokens = append(tokens, tokenScope+string(m.Scope))
	}
	if !m.ProjectID.IsZero() {
		tokens = append(tokens, tokenProject+hex.EncodeToString(m.ProjectID[:]))
	}
	if !m.AgentID.IsZero() {
		tokens = append(tokens, tokenAgent+hex.EncodeToString(m.AgentID[:]))
	}
	if !m.SessionID.IsZero() {
		tokens = append(tokens, tokenSession+hex.EncodeToString(m.SessionID[:]))
	}
	if m.Pinned {
		tokens = append(tokens, tokenPinned)
	}
	return tokens
}

// unique returns loci.Unique as plain strings, in a new list.
func unique[T ~string](list []T) []string {
	out := make([]string, 0, len(list)+1)
	for _, v := range loci.Unique(list) {
		out = append(out, string(v))
	}
	return out
}

// changePostings writes the difference between two sets of postings of a row.
func (x index) changePostings(seq int64, before, after []posting) error {
	keep := make(map[posting]bool, len(before))
	for _, p := range before {
		keep[p] = false
	}
	var added []posting
	for _, p := range after {
		if _, there := keep[p]; there {
			keep[p] = true
		} else {
			added = append(added, p)
		}
	}
	for _, p := range before {
		if !keep[p] {
			if err := x.c.Exec("DELETE FROM memory_postings WHERE pool = ? AND vendor = ? AND token = ? AND at = ? AND seq = ?",
				p.pool[:], p.vendor, p.token, p.at, seq); err != nil {
				return err
			}
		}
	}
	for some := range slices.Chunk(added, maxInserted) {
		if err := x.addPostings(seq, some); err != nil {
			return err
		}
	}
	return nil
}

const (
	insertPosting = `INSERT INTO memory_postings (pool, vendor, token, at, seq, expires_at, agent_id, workspace_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	// maxInserted is how many postings one statement inserts, because each number has a text.
	maxInserted = 32
)

func (x index) addPostings(seq int64, list []posting) error {
	var q sqlstore.Query
	q.Add(insertPosting)
	for i := range list {
		p := &list[i]
		if i > 0 {
			q.Add(", (?, ?, ?, ?, ?, ?, ?, ?)")
		}
		var expires, agent any
		if p.expiring {
			expires = p.expires
		}
		if p.ofAgent {
			agent = [16]byte(p.agent)
		}
		q.Add("", p.pool[:], p.vendor, p.token, p.at, seq, expires, agent, sqlstore.OrNull(p.workspace))
	}
	return x.c.Exec(q.String(), q.Args...)
}

func scanPosting(r *sqlitedb.Row) (seq int64, p posting) {
	copy(p.pool[:], r.Raw(0))
	p.vendor, p.token, p.at = r.Text(1), r.Text(2), r.Int64(3)
	if !r.Null(5) {
		p.expires, p.expiring = r.Int64(5), true
	}
	p.ofAgent, p.agent, p.workspace = !r.Null(6), r.ID(6), r.ID(7)
	return r.Int64(4), p
}
