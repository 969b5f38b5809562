package loci_test

import "testing"

// forbiddenImports are packages that nothing but a test may import, each with its reason.
var forbiddenImports = map[string]string{
	"html/template": templatesAreLarge,
	"text/template": templatesAreLarge,
}

// A template calls methods by names that only the running program knows (reflect's MethodByName). If one can run,
// the linker must keep every exported method of every type that the binary has: 4.6 MB of 48.
const templatesAreLarge = "templates make the linker keep every exported method, 4.6 MB of the binary; " +
	"write the page as functions, see internal/web/pages.go"

func TestForbiddenImports(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() {
			continue
		}
		for _, imp := range f.ast.Imports {
			if reason := forbiddenImports[importPath(imp)]; reason != "" {
				t.Errorf("%s imports %s: %s", fset.Position(imp.Pos()), importPath(imp), reason)
			}
		}
	}
}
