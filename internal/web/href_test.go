package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"
)

// scripts are addresses that a browser would run, also because it ignores some characters.
var scripts = []string{"javascript:alert(1)", "JavaScript:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
	"javascript\n:alert(1)", "\x01javascript:alert(1)", "javascript://example.org/%0aalert(1)", "vbscript:x",
	"about:blank", "BLOB:https://a.b/x", "file:///etc/passwd", "blob://x",
	"data:text/html,<script>alert(1)</script>", "DATA:text/html;base64,PHNjcmlwdD4=", "javascript:alert(1)//https://a.b"}

func TestNoLinkIsAScript(t *testing.T) {
	t.Parallel()
	for _, address := range scripts {
		for name, node := range map[string]g.Node{"to": h.A(to(address)), "toClient": h.A(toClient(address)),
			"form": form(address)} {
			var b strings.Builder
			if err := node.Render(&b); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(b.String(), `="`+homePath+`"`) {
				t.Errorf("%s(%q) is %s, want the home page", name, address, b.String())
			}
		}
	}
	for _, address := range []string{"https://a.example/cb?x=1", "http://127.0.0.1:1/cb", "com.example.app:/cb",
		"cursor://anysphere.cursor-mcp/cb"} {
		if got := toClient(address).(interface{ String() string }).String(); got != ` href="`+address+`"` {
			t.Errorf("toClient(%q) is %s", address, got)
		}
	}
}

// addressed are the functions that make an attribute with an address, and Raw, which escapes nothing.
var addressed = []string{"Href", "Action", "FormAction", "Src", "SrcSet", "Poster", "CiteAttr", "Raw", "Rawf"}

var attributes = []string{"href", "action", "formaction", "src", "srcset", "poster", "style"}

// TestEveryAddressIsChecked keeps pages from links and forms that do not go through to, toClient and form.
func TestEveryAddressIsChecked(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, e.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			ast.Inspect(d, func(n ast.Node) bool {
				call, isCall := n.(*ast.CallExpr)
				if !isCall {
					return true
				}
				sel, isSel := call.Fun.(*ast.SelectorExpr)
				if !isSel || !makesAddress(sel, call) {
					return true
				}
				if seen++; (!ok || fn.Name.Name != "toClient") && !fixed(call.Args[len(call.Args)-1]) {
					t.Errorf("%s: use to, toClient or form for an address", fset.Position(call.Pos()))
				}
				return true
			})
		}
	}
	if seen < 5 {
		t.Errorf("the test saw %d addresses: it looks at the wrong names", seen)
	}
}

func makesAddress(sel *ast.SelectorExpr, call *ast.CallExpr) bool {
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || pkg.Name != "g" && pkg.Name != "h" {
		return false
	}
	if slices.Contains(addressed, sel.Sel.Name) {
		return true
	}
	if sel.Sel.Name != "Attr" || len(call.Args) < 2 {
		return false
	}
	name, ok := call.Args[0].(*ast.BasicLit)
	return !ok || slices.Contains(attributes, strings.Trim(name.Value, `"`)) || strings.HasPrefix(name.Value, `"on`)
}

// fixed reports whether an address is written in the source, or goes through what allows only this site's own.
func fixed(arg ast.Expr) bool {
	switch x := arg.(type) {
	case *ast.BasicLit:
		return true
	case *ast.CallExpr:
		fn, ok := x.Fun.(*ast.Ident)
		return ok && (fn.Name == "safeNext" || fn.Name == "staticURL")
	}
	return false
}
