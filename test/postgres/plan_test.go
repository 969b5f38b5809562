//go:build postgres

package postgres

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/store"
	"github.com/loci-memory/loci/internal/store/sqlstore"
)

// recorder keeps the statements that run.
type recorder struct {
	sqlstore.Conn
	list []statement
}

type statement struct {
	text string
	args sqlstore.Args
}

func (r *recorder) Query(text string, args sqlstore.Args, row func(sqlstore.Row) error) error {
	r.list = append(r.list, statement{text, args})
	return r.Conn.Query(text, args, row)
}

func (r *recorder) One(text string, args sqlstore.Args, row func(sqlstore.Row) error) (bool, error) {
	r.list = append(r.list, statement{text, args})
	return r.Conn.One(text, args, row)
}

// planner looks at how PostgreSQL runs what a transaction asks.
type planner struct {
	*testing.T
	*sqlstore.Tx
	*recorder
	conn  *conn
	start store.Position // of Rows, before all rows
}

// check demands that do reads each table by an index that begins with the org, whether PostgreSQL knows the values or
// plans once for all of them. Each of want is an index that one of the statements uses.
func (p *planner) check(name string, do func() error, want ...string) {
	p.Helper()
	p.list = nil
	if err := do(); err != nil && loci.CodeOf(err) != loci.NotFound {
		p.Fatalf("%s: %v", name, err)
	}
	for _, generic := range []bool{false, true} {
		var used []string
		for _, s := range p.list {
			plan := p.explain(s, generic)
			used = append(used, plan.indexes()...)
			for _, problem := range plan.problems() {
				p.Errorf("%s, generic %v: %s\nin %s", name, generic, problem, s.text)
			}
		}
		for _, index := range want {
			if !slices.Contains(used, index) {
				p.Errorf("%s, generic %v: uses %q, want %s", name, generic, used, index)
			}
		}
	}
}

// node is a step of a plan.
type node struct {
	Type     string `json:"Node Type"`
	Index    string `json:"Index Name"`
	Cond     string `json:"Index Cond"`
	Relation string `json:"Relation Name"`
	Plans    []node
}

func (n *node) indexes() (list []string) {
	if n.Index != "" {
		list = append(list, n.Index)
	}
	for i := range n.Plans {
		list = append(list, n.Plans[i].indexes()...)
	}
	return list
}

// ofOrg matches the condition that the marker adds, not the policy's: only a parameter leads to one shard.
var ofOrg = regexp.MustCompile(`\(org_id = (\$1|'default'::text)\)`)

func (n *node) problems() (list []string) {
	if n.Type == "Seq Scan" {
		list = append(list, "reads all of "+n.Relation)
	}
	if n.Index != "" && !ofOrg.MatchString(n.Cond) {
		list = append(list, fmt.Sprintf("%s on %s does not look for the org: %s", n.Type, n.Index, n.Cond))
	}
	for i := range n.Plans {
		list = append(list, n.Plans[i].problems()...)
	}
	return list
}

func (p *planner) explain(s statement, generic bool) *node {
	p.Helper()
	sql, args, err := p.conn.prepare(s.text, s.args)
	if err != nil {
		p.Fatal(err)
	}
	ctx := p.Context()
	var row pgx.Row
	if generic {
		if _, err := p.conn.tx.Exec(ctx, "PREPARE it AS "+sql); err != nil {
			p.Fatal(err)
		}
		defer func() {
			if _, err := p.conn.tx.Exec(ctx, "DEALLOCATE it"); err != nil {
				p.Error(err)
			}
		}()
		row = p.conn.tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) EXECUTE it ("+strings.Repeat(", NULL", len(args))[2:]+")",
			pgx.QueryExecModeSimpleProtocol)
	} else {
		args = append([]any{pgx.QueryExecModeDescribeExec}, args...)
		row = p.conn.tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+sql, args...)
	}
	var text string
	var plans []struct{ Plan node }
	if err := row.Scan(&text); err != nil {
		p.Fatal(err, sql)
	}
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		p.Fatal(err)
	}
	return &plans[0].Plan
}

// plans runs look in an org with many rows.
func plans(t *testing.T, look func(*planner)) {
	t.Helper()
	rows, s := twoOrgs(t, "read")
	err := s.View(t.Context(), loci.DefaultOrg, func(tx store.Tx) error {
		real := tx.(*sqlstore.Tx)
		c := under(real.Conn())
		// What runs by a name is planned for all values. Without one, EXPLAIN knows them.
		if _, err := c.tx.Exec(t.Context(), "SET LOCAL plan_cache_mode = force_generic_plan"); err != nil {
			return err
		}
		r := &recorder{Conn: c}
		look(&planner{t, sqlstore.New(r, dialect, real.Options), r, c, rows.start})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
