package loci_test

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// mayHoldSQL are the only places outside tests with statements, each with its reason.
var mayHoldSQL = map[string]string{
	"internal/store/sqlstore": "the statements of all engines",
	"internal/store/sqlite": "what only SQLite has: files, the full-text index, postings, two-file transactions, " +
		"restores",
	"internal/store/postgres":       "what only PostgreSQL has",
	"internal/store/sqlitedb":       "pragmas, and the table of migrations",
	"internal/eventlog/embedded":    "its files are SQLite databases, too",
	"internal/vectors":              "derived vectors have files of their own, beside the index",
	"internal/eventlog/arc":         "the statements for Arc, each of which one builder makes",
	"internal/eventlog/arc/arctest": "a fake of Arc, which runs such statements",
	"test/":                         "programs of the integration tests",
}

var statement = regexp.MustCompile(
	`\b(SELECT .+ FROM|SELECT 1|INSERT (OR \w+ )?INTO|` +
		`UPDATE \w+ (AS \w+ )?SET|DELETE FROM|CREATE (TABLE|INDEX|VIRTUAL|TRIGGER)|DROP (TABLE|INDEX)|PRAGMA) `)

func TestSQLIsInTheEngines(t *testing.T) {
	for _, f := range sources(t) {
		allowed := f.isTest()
		for place := range mayHoldSQL {
			allowed = allowed || f.dir == place || inPlace(f.path, []string{place})
		}
		if allowed {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && statement.MatchString(lit.Value+" ") {
				t.Errorf("%s holds SQL; statements belong to internal/store/sqlstore", fset.Position(lit.Pos()))
			}
			return true
		})
	}
}

func TestEnginesHoldNoRules(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() || !strings.HasPrefix(f.dir, "internal/store/") || f.dir == "internal/store/storetest" {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !strings.HasPrefix(sel.Sel.Name, "Check") {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "loci" {
				t.Errorf("%s: an engine calls loci.%s; the use case checks what comes in", fset.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

func TestSQLStoreHasNoDriver(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() || f.dir != "internal/store/sqlstore" {
			continue
		}
		for _, imp := range f.ast.Imports {
			target := importPath(imp)
			_, ours := inModule(target)
			if first, _, _ := strings.Cut(target, "/"); !ours && strings.Contains(first, ".") ||
				strings.HasPrefix(target, "database/") || path.Base(target) == "sql" {
				t.Errorf("%s: sqlstore must not import %s: it knows no driver", fset.Position(imp.Pos()), target)
			}
		}
	}
}
