package loci_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const modulePath = "github.com/loci-memory/loci"

// arrows says which packages of the module a package may import; "." is the root package. A package
// without a line of its own follows its nearest ancestor here and may also import that ancestor. Test
// files are free: they wire real parts together.
var arrows = withServices(map[string][]string{
	".":      nil,
	"client": {"."},
	"internal/gate": {".", "internal/store", "internal/auth", "internal/meter", "internal/fair",
		"internal/reflection/sensitive"},
	"internal/fair":      nil,
	"internal/jsonlines": {"."}, "internal/proposed": {"."}, "internal/blob": {".", "internal/memo"},
	"internal/project": {".", "internal/store", "internal/gate"},
	"internal/graph": {".", "internal/store", "internal/gate", "internal/jsonlines", "internal/recall", "internal/index",
		"internal/indexing",
		"internal/reflection/sensitive"},
	"internal/agent": {".", "internal/store", "internal/gate", "internal/project", "internal/auth",
		"internal/reflection/sensitive"},
	"internal/task": {".", "internal/store", "internal/gate", "internal/project", "internal/reflection/sensitive"},
	"internal/event": {".", "internal/store", "internal/gate", "internal/project", "internal/eventlog",
		"internal/recall", "internal/indexing", "internal/jsonlines", "internal/memo", "internal/reflection/sensitive"},
	"internal/memory": {".", "internal/store", "internal/gate", "internal/project", "internal/graph", "internal/recall",
		"internal/indexing", "internal/eventlog", "internal/embed", "internal/chat", "internal/vectors", "internal/index",
		"internal/reflection/sensitive"},
	"internal/node": {".", "internal/store", "internal/gate", "internal/project", "internal/graph",
		"internal/memory", "internal/recall", "internal/reflection/sensitive"},
	"internal/pack": {".", "internal/store", "internal/gate", "internal/project", "internal/memory", "internal/event",
		"internal/recall", "internal/reflection/sensitive"},
	"internal/golden": {".", "internal/store", "internal/gate", "internal/memory", "internal/recall", "internal/vectors"},
	"internal/org": {".", "internal/store", "internal/gate", "internal/memory", "internal/node",
		"internal/auth", "internal/seal"},
	"internal/identity": {".", "internal/store", "internal/gate", "internal/org", "internal/auth", "internal/auth/oauth"},
	"internal/setting":  {".", "internal/store", "internal/gate"},
	"internal/transfer": {".", "internal/store", "internal/gate", "internal/jsonlines", "internal/memory",
		"internal/event", "internal/eventlog", "internal/graph", "internal/project"},
	"internal/review": {".", "internal/store", "internal/gate", "internal/project", "internal/memory", "internal/graph",
		"internal/recall", "internal/reflection", "internal/reflection/sensitive", "internal/eventlog", "internal/language",
		"internal/chat", "internal/fair"},
	"internal/store":          {"."},
	"internal/store/group":    {"internal/fair"},
	"internal/store/sqlitedb": {"internal/store/group"},
	"internal/store/sqlstore": {".", "internal/store", "internal/memo"},
	"internal/memo":           nil,
	"internal/store/sqlite": {".", "internal/store", "internal/store/sqlstore", "internal/store/sqlitedb",
		"internal/blob", "internal/memo"},
	"internal/store/postgres":    {".", "internal/store", "internal/store/sqlstore"},
	"internal/store/storetest":   {".", "internal/store"},
	"internal/eventlog":          {"."},
	"internal/eventlog/embedded": {".", "internal/eventlog", "internal/store/sqlitedb"},
	"internal/eventlog/arc":      {".", "internal/eventlog"},
	"internal/eventlog/route": {".", "internal/eventlog", "internal/eventlog/arc", "internal/store", "internal/org",
		"internal/memo", "internal/seal"},
	"internal/seal":            {"."},
	"internal/clientfile":      {".", "internal/proposed"},
	"internal/capture":         {".", "client", "internal/clientfile"},
	"internal/embed":           {".", "internal/chat"},
	"internal/embed/hub":       {".", "internal/embed"},
	"internal/embed/embedtest": {"internal/embed"},
	"internal/chat":            {"."},
	"internal/vectors": {".", "internal/store", "internal/store/sqlitedb", "internal/embed", "internal/index",
		"internal/index/packing", "internal/recall", "internal/fair", "internal/memo"},
	"internal/vectors/storetest": {".", "internal/vectors", "internal/index/packing"},
	"internal/language":          nil,
	"internal/recall":            {".", "internal/language", "internal/index"},
	"internal/index":             {".", "internal/language", "internal/index/packing"}, "internal/index/packing": nil,
	"internal/indexing": {".", "internal/store", "internal/eventlog", "internal/index", "internal/recall",
		"internal/memo"},
	"internal/reflection":    {".", "internal/language", "internal/recall"},
	"internal/auth":          {".", "internal/store", "internal/memo"},
	"internal/auth/oauth":    {".", "internal/store", "internal/auth"},
	"internal/auth/authtest": {"internal/auth"},
	"internal/meter":         {".", "internal/store", "internal/eventlog"},
	"internal/maintain":      {".", "internal/store", "internal/eventlog"}, "internal/deployment": {".", "internal/store",
		"internal/gate", "internal/maintain"},
	"internal/rest": {".", "client", "internal/auth", "internal/jsonlines", "internal/app", "internal/fair",
		"internal/index", "internal/recall", "internal/eventlog"},
	"internal/mcpserver": {".", "internal/auth", "internal/app", "internal/recall", "internal/vectors",
		"internal/fair"},
	"internal/web":   {".", "internal/auth", "internal/auth/oauth", "internal/app"},
	"internal/front": {".", "internal/rest", "internal/mcpserver", "internal/web", "internal/auth"},
	"internal/bench": {".", "internal/store", "internal/store/sqlite", "internal/eventlog/embedded"}, // measures them
	"internal/eval": {".", "internal/store", "internal/auth", "internal/jsonlines", "internal/app",
		"internal/index", "internal/recall", "internal/embed", "internal/vectors"},
	"test/integration/bearerproxy": nil,
	"internal/app": {".", "internal/store", "internal/indexing", "internal/vectors", "internal/embed",
		"internal/auth", "internal/auth/oauth", "internal/seal"},
	"internal/reflection/sensitive":  {".", "internal/language"},
	"internal/eventlog/eventlogtest": {".", "internal/eventlog", "test/random"},
})

// importsAll lists the trees that wire things together.
var importsAll = []string{"cmd/loci", "test"}

// forbiddenNames are package names that say nothing about what is inside.
var forbiddenNames = []string{"util", "utils", "common", "types", "helper", "helpers", "model", "models"}

// mayReadEnv are the only places outside tests that read the environment.
var mayReadEnv = []string{"cmd/loci/config.go", "test/"}

// mayDetach are the only places outside tests that make a context of their
// own, each with its reason.
var mayDetach = map[string]string{
	"cmd/loci/main.go": "the root of every context",
	"test/":            "programs of the integration tests",
}

// suites have tests in files that are no tests.
var suites = []string{"internal/store/storetest", "internal/eventlog/eventlogtest"}

const (
	maxFileLines     = 500
	maxFuncLines     = 60
	maxTestFuncLines = 120 // a table of cases is data
)

// sourceFile is one parsed Go file of the module.
type sourceFile struct {
	path  string // slash-separated, relative to the module
	dir   string
	lines int
	ast   *ast.File
}

func (f *sourceFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

var fset = token.NewFileSet()

var readSources = sync.OnceValues(func() ([]*sourceFile, error) {
	var files []*sourceFile
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if base := d.Name(); base != "." && (base == "testdata" || base == "node_modules" || base[0] == '.' ||
				base[0] == '_') {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(fset, filepath.ToSlash(name), text, parser.ParseComments)
		if err != nil {
			return err
		}
		p := filepath.ToSlash(name)
		files = append(files, &sourceFile{path: p, dir: path.Dir(p), lines: strings.Count(string(text), "\n"), ast: tree})
		return nil
	})
	return files, err
})

func sources(t *testing.T) []*sourceFile {
	t.Helper()
	files, err := readSources()
	if err != nil {
		t.Fatalf("read the sources of the module: %v", err)
	}
	return files
}

func TestImportsFollowTheTable(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() {
			continue
		}
		for _, imp := range f.ast.Imports {
			target, ours := inModule(importPath(imp))
			if ours && !arrowAllowed(f.dir, target) {
				t.Errorf("%s: package %s must not import %s; see the table in arch_test.go", fset.Position(imp.Pos()), f.dir,
					target)
			}
		}
	}
}

func TestTheCommandImportsTheEngineInOneFile(t *testing.T) {
	const place = "cmd/loci/engine.go"
	found := false
	for _, f := range sources(t) {
		if f.isTest() || !under(f.dir, []string{"cmd/loci"}) {
			continue
		}
		for _, imp := range f.ast.Imports {
			target, ours := inModule(importPath(imp))
			if !ours || !under(target, engines()) {
				continue
			}
			found = found || f.path == place
			if f.path != place {
				t.Errorf("%s: only %s may import %s; put what depends on the engine there", fset.Position(imp.Pos()), place,
					target)
			}
		}
	}
	if !found {
		t.Errorf("%s imports no storage engine", place)
	}
}

// engines returns the packages of the table below internal/store that have storage engines.
func engines() (dirs []string) {
	for dir := range arrows {
		if strings.HasPrefix(dir, "internal/store/") && dir != "internal/store/storetest" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

func TestEveryPackageHasAPlace(t *testing.T) {
	for _, f := range sources(t) {
		name := strings.TrimSuffix(f.ast.Name.Name, "_test")
		if slices.Contains(forbiddenNames, name) || slices.Contains(forbiddenNames, path.Base(f.dir)) {
			t.Errorf("%s: a package named %q says nothing about what is inside; name what it does", f.path, name)
		}
		if _, known := rulesFor(f.dir); !known && !under(f.dir, importsAll) {
			t.Errorf("%s: package %s has no line in the table of arch_test.go", f.path, f.dir)
		}
	}
}

func TestArrowRules(t *testing.T) {
	tests := []struct {
		from, to string
		want     bool
	}{
		{"cmd/loci", "internal/store/sqlite", true},
		{"internal/memory", "internal/store", true},
		{"internal/memory", "internal/node", false},
		{"internal/project", "internal/memory", false},
		{"internal/rest", "internal/memory", true},
		{"internal/memory", "internal/store/sqlite", false},
		{"internal/store/sqlite", "internal/store/sqlitedb", true},
		{"internal/store/sqlitedb", ".", false},
		{"internal/rest", "internal/store", false},
		{"internal/rest/openapi", "internal/rest", true},
		{"internal/rest", "internal/rest/openapi", true},
		{"internal/recall/text", "internal/store", false},
		{"internal/store", "internal/store/sqlite", false},
		{".", "client", false},
		{"internal/unknown", ".", false},
	}
	for _, tt := range tests {
		if got := arrowAllowed(tt.from, tt.to); got != tt.want {
			t.Errorf("arrowAllowed(%s, %s) = %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestSizes(t *testing.T) {
	for _, f := range sources(t) {
		if ast.IsGenerated(f.ast) {
			continue
		}
		if f.lines > maxFileLines && !fileSaysLong(f.ast) {
			t.Errorf("%s has %d lines, the limit is %d; split it at a seam or write `// long: <reason>` near its top", f.path,
				f.lines, maxFileLines)
		}
		limit := maxFuncLines
		if f.isTest() || slices.Contains(suites, f.dir) {
			limit = maxTestFuncLines
		}
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || saysLong(fn.Doc) {
				continue
			}
			if n := bodyLines(fn); n > limit {
				t.Errorf("%s: %s has a body of %d lines, the limit is %d; split it or write `// long: <reason>` in its comment",
					fset.Position(fn.Pos()), fn.Name.Name, n, limit)
			}
		}
	}
}

func TestEnvironmentIsReadInOnePlace(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() || inPlace(f.path, mayReadEnv) {
			continue
		}
		for _, use := range uses(f.ast, "os", "Getenv", "LookupEnv", "Environ", "ExpandEnv") {
			t.Errorf("%s reads the environment; only cmd/loci/config.go does, and hands settings on", use)
		}
	}
}

func TestNoDetachedContext(t *testing.T) {
	for _, f := range sources(t) {
		allowed := false
		for place := range mayDetach {
			allowed = allowed || inPlace(f.path, []string{place})
		}
		if f.isTest() || allowed {
			continue
		}
		for _, use := range uses(f.ast, "context", "Background", "TODO") {
			t.Errorf("%s makes a context of its own; take ctx from the caller, or context.WithoutCancel(ctx) for a shutdown",
				use)
		}
	}
}

func TestDirectDependenciesAreExplained(t *testing.T) {
	modules := requiredModules(t)
	text, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range sources(t) {
		for _, imp := range f.ast.Imports {
			module := longestPrefix(importPath(imp), modules)
			if module == "" || seen[module] {
				continue
			}
			seen[module] = true
			if !strings.Contains(string(text), "`"+module+"`") {
				t.Errorf("%s imports %s, which has no line with its reason in docs/dependencies.md", f.path, module)
			}
			if indirect := regexp.MustCompile(`(?m)` + regexp.QuoteMeta(module) + ` v\S+ // indirect$`); indirect.Match(mod) {
				t.Errorf("%s imports %s, which go.mod calls indirect", f.path, module)
			}
		}
	}
}

func arrowAllowed(from, to string) bool {
	if under(from, importsAll) || from == to {
		return true
	}
	owner, known := rulesFor(from)
	if !known {
		return false
	}
	if target, _ := rulesFor(to); target == owner {
		return true
	}
	return slices.Contains(arrows[owner], to)
}

// rulesFor returns the line of the table that holds for dir.
func rulesFor(dir string) (string, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := arrows[d]; ok {
			return d, true
		}
	}
	return ".", dir == "."
}

func under(dir string, trees []string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return dir == tree || strings.HasPrefix(dir, tree+"/")
	})
}

// inPlace reports whether file is one of places; a place that ends in a slash
// means the tree below it.
func inPlace(file string, places []string) bool {
	return slices.ContainsFunc(places, func(place string) bool {
		return file == place || strings.HasSuffix(place, "/") && strings.HasPrefix(file, place)
	})
}

func inModule(imported string) (dir string, ours bool) {
	if imported == modulePath {
		return ".", true
	}
	return strings.CutPrefix(imported, modulePath+"/")
}

func importPath(imp *ast.ImportSpec) string {
	p, err := strconv.Unquote(imp.Path.Value)
	if err != nil {
		return imp.Path.Value
	}
	return p
}

// uses finds selections of the named members of package pkg.
func uses(f *ast.File, pkg string, members ...string) []token.Position {
	local := ""
	for _, imp := range f.Imports {
		if importPath(imp) == pkg {
			local = path.Base(pkg)
			if imp.Name != nil {
				local = imp.Name.Name
			}
		}
	}
	if local == "" {
		return nil
	}
	var found []token.Position
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains(members, sel.Sel.Name) {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == local {
			found = append(found, fset.Position(sel.Pos()))
		}
		return true
	})
	return found
}

func bodyLines(fn *ast.FuncDecl) int {
	return max(fset.Position(fn.Body.Rbrace).Line-fset.Position(fn.Body.Lbrace).Line-1, 0)
}

// fileSaysLong looks for the reason above the first declaration that is not an
// import.
func fileSaysLong(f *ast.File) bool {
	end := f.FileEnd
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok && gen.Tok == token.IMPORT {
			continue
		}
		end = decl.Pos()
		if doc := docOf(decl); doc != nil {
			end = doc.Pos() // a function's own reason is not the file's
		}
		break
	}
	return slices.ContainsFunc(f.Comments, func(c *ast.CommentGroup) bool {
		return c.Pos() < end && saysLong(c)
	})
}

// saysLong reports whether a comment has a line `long: <reason>`. It reads the
// raw comment, because CommentGroup.Text drops lines that look like directives.
func saysLong(c *ast.CommentGroup) bool {
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.List, func(line *ast.Comment) bool {
		reason, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(line.Text, "//")), "long:")
		return ok && strings.TrimSpace(reason) != ""
	})
}

// requiredModules reads the module paths of go.mod.
func requiredModules(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) >= 2 && strings.Contains(fields[0], ".") && strings.HasPrefix(fields[1], "v") {
			modules = append(modules, fields[0])
		}
	}
	if len(modules) == 0 {
		t.Fatal("go.mod names no module")
	}
	return modules
}

func longestPrefix(imported string, modules []string) string {
	best := ""
	for _, m := range modules {
		if (imported == m || strings.HasPrefix(imported, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}
