package sqlstore

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// heldBack are declarations that leave a marker to the statement that they become part of.
var heldBack = map[string]string{
	"fromProjects":  "each statement adds its own WHERE {global p}",
	"fromRelations": "each statement adds its own WHERE {graph r}",
	"otherEnd":      "is the rest of a subquery",
}

var reference = regexp.MustCompile(`\b(FROM|JOIN|\{join\}|INTO|UPDATE) +(\w+)(?: +(?:AS +)?([a-z]\w*))?`)

// TestEveryTableHasAMarker looks at the texts of statements that no other test may run. Expand looks at each whole
// statement when it is prepared; this test sees only the parts that one declaration holds.
func TestEveryTableHasAMarker(t *testing.T) {
	seen := 0
	for name, text := range declarations(t) {
		for _, ref := range reference.FindAllStringSubmatch(text, -1) {
			verb, table, alias := ref[1], ref[2], ref[3]
			if alias == "" {
				alias = table
			}
			marker := "{" + alias + "}"
			switch {
			case verb == "UPDATE" && table == "SET", heldBack[name] != "", heldBack[table] != "", table == "under", table == "x":
				continue // UPDATE SET is of ON CONFLICT; under and x are of WITH
			case verb == "INTO":
				marker = "{org}"
			}
			seen++
			if !marked(text, marker) {
				t.Errorf("%s: %s %s has no marker %s in: %s", name, verb, table, marker, text)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d table references were found", seen)
	}
}

// marked reports whether text has the marker, or the one of the registry or of a graph in its place.
func marked(text, marker string) bool {
	for _, kind := range []string{"", "global ", "graph "} {
		other := strings.Replace(marker, "{", "{"+kind, 1)
		if strings.Contains(text, other) || marker == "{org}" && strings.Contains(text, "{"+strings.TrimSpace(kind)+"}") {
			return true
		}
	}
	return false
}

// declarations returns the texts of each function and of each variable, with one word for what is no literal.
func declarations(t *testing.T) map[string]string {
	t.Helper()
	//nolint:staticcheck // one package without build tags
	files, err := parser.ParseDir(token.NewFileSet(), ".",
		func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files["sqlstore"].Files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				name := decl.Name.Name
				if decl.Recv != nil {
					name = types(decl.Recv.List[0].Type) + "." + name
				}
				texts[name] = literals(decl)
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if value, ok := spec.(*ast.ValueSpec); ok {
						texts[value.Names[0].Name] = literals(value)
					}
				}
			}
		}
	}
	return texts
}

func types(e ast.Expr) string {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if name, ok := e.(*ast.Ident); ok {
		return name.Name
	}
	return "?"
}

// literals joins the string literals of n. Names of tables that are variables become the variable's name.
func literals(n ast.Node) string {
	var b strings.Builder
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			b.WriteString(flat(n) + " ; ")
			return false
		case *ast.BasicLit:
			b.WriteString(flat(n) + " ; ")
		}
		return true
	})
	return b.String()
}

func flat(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return flat(e.X) + flat(e.Y)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.Ident:
		return e.Name
	case *ast.ParenExpr:
		return flat(e.X)
	}
	return "x"
}
