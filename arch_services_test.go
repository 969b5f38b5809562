package loci_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// services are the packages whose Service embeds the gate. internal/app makes one struct of them, and whoever may
// import that may import the gate and each of them.
var services = []string{"internal/agent", "internal/deployment", "internal/event", "internal/golden",
	"internal/graph", "internal/identity", "internal/memory", "internal/node", "internal/org", "internal/pack",
	"internal/project", "internal/review", "internal/setting", "internal/task", "internal/transfer"}

func withServices(table map[string][]string) map[string][]string {
	for dir, targets := range table {
		if dir == "internal/app" || slices.Contains(targets, "internal/app") {
			table[dir] = append(append(targets, "internal/gate"), services...)
		}
	}
	return table
}

// withoutBegin are exported methods of services that do not begin with Begin, each with its reason.
var withoutBegin = map[string]string{
	"identity.Setup":             "makes the first org, before there is a principal",
	"identity.SetOwnerEmail":     "carries out the operator's settings, before there is a principal",
	"memory.Attach":              "ends what Receive began, and asks again",
	"project.Choose":             "asks for the action that its caller is about to begin, without metering it twice",
	"project.EndConnection":      "ends a connection; only its client knows its key",
	"project.OpenConnection":     "keeps what a client told when it connected; each call in the connection is authorised",
	"project.ContinueConnection": "as OpenConnection",

	"setting.Changed": "the settings as the server itself follows them, for nobody",

	"review.DreamNightly": "the scheduled run of the dream-cycle, for nobody",

	"event.Run":    "upkeep of the logs, for nobody",
	"event.Upkeep": "the same, once",

	// Hooks for other services, which have begun.
	"event.CountOf":             "part of counting what an agent does; asks for the action, without metering it twice",
	"event.Drop":                "part of deleting an org",
	"event.Follow":              "part of changing a session",
	"event.Follower":            "part of the dream-cycle and of the index, for nobody",
	"event.CopyAll":             "part of org.Export",
	"event.Forget":              "part of deleting a person",
	"event.Index":               "the index itself, for its upkeep",
	"event.Recall":              "part of recalling memories; asks for the action, without metering it twice",
	"event.Kept":                "part of exports and imports, which have begun; it asks May",
	"event.Named":               "part of writing memories; asks for the action, without metering it twice",
	"event.Notice":              "part of logging and importing events",
	"event.SettleSecrets":       "part of settling a suggestion, which has begun",
	"memory.Pool":               "part of use cases of nodes: says whether the caller has a team to share with",
	"memory.Release":            "part of leaving a team",
	"node.Release":              "part of leaving a team",
	"org.TakeOut":               "part of deleting a person",
	"project.MustBeOpen":        "part of writing into a project",
	"project.MustNotBeArchived": "part of changing what is about a project",
	"project.Named":             "part of what names a project by its id or name",
	"graph.Suggested":           "part of reading suggestions, which has begun",
	"graph.Notice":              "part of writing and importing rows, which has begun",
	"graph.SettleSecrets":       "part of settling a suggestion, which has begun",
	"graph.Apply":               "part of accepting a suggestion; asks for the action, without metering it twice",
	"graph.Known":               "part of reflect, which has begun",
	"graph.Best":                "part of searching memories, which has begun",
	"memory.Promote":            "part of actions on candidates, which have begun",
	"memory.Demote":             "part of actions on candidates, which have begun",
	"memory.Gather":             "part of context packs, which have begun; it asks May",
	"memory.Visible":            "the same",
	"event.Newest":              "the same",
	"memory.RelatedTo":          "part of reflect, which has begun; it asks May",
}

const (
	maxServiceMethods = 60
	maxPackageLines   = 6000
	bigPackageLines   = 2500 // larger ones are printed
)

// largePackages may have more lines than maxPackageLines: so many, for this reason.
var largePackages = map[string]struct {
	lines  int
	reason string
}{
	".":                       {7600, "the nouns, the rules and the text analysis that all packages share"},
	"cmd/loci":                {20500, "one file for each command"},
	"internal/reflection":     {6220, "reading notes and comparing statements share their tokens, units and lists"},
	"internal/memory":         {6800, "one file for each operation on memories"},
	"internal/store/sqlstore": {11000, "one file for each family of tables"},
	"internal/store/sqlite":   {6250, "one file for each part of an engine: files, moves, restores, derived indexes"},
	"internal/rest":           {8750, "one file for each subject of the API"},
	"internal/mcpserver":      {8150, "one file for each group of tools, and the transports of two protocol versions"},
}

// serviceMethods returns the exported methods of each type that embeds gate.Gate, by package.
func serviceMethods(t *testing.T) map[string][]*ast.FuncDecl {
	t.Helper()
	embeds := map[string]bool{} // dir.Type
	for _, f := range sources(t) {
		if f.isTest() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok && embedsGate(s.Type) {
				embeds[f.dir+"."+s.Name.Name] = true
			}
			return true
		})
	}
	found := map[string][]*ast.FuncDecl{}
	for _, f := range sources(t) {
		for _, decl := range f.ast.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && !f.isTest() && fn.Body != nil && fn.Name.IsExported() && embeds[f.dir+"."+receiver(fn)] {
				found[f.dir] = append(found[f.dir], fn)
			}
		}
	}
	return found
}

func embedsGate(typ ast.Expr) bool {
	st, ok := typ.(*ast.StructType)
	return ok && slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		star, ok := f.Type.(*ast.StarExpr)
		if !ok || len(f.Names) > 0 {
			return false
		}
		sel, ok := star.X.(*ast.SelectorExpr)
		return ok && fmt.Sprintf("%s.%s", sel.X, sel.Sel.Name) == "gate.Gate"
	})
}

func TestServicesBegin(t *testing.T) {
	methods := serviceMethods(t)
	if got := slices.Sorted(maps.Keys(methods)); !slices.Equal(got, services) {
		t.Errorf("these packages have services: %v; the table in arch_test.go has %v", got, services)
	}
	unused := maps.Clone(withoutBegin)
	for dir, list := range methods {
		for _, fn := range list {
			name := path.Base(dir) + "." + fn.Name.Name
			if withoutBegin[name] != "" {
				delete(unused, name)
			} else if !beginsFirst(fn) {
				t.Errorf("%s: %s does not start with Begin, so nobody asked whether the principal may do it",
					fset.Position(fn.Pos()), name)
			}
		}
	}
	for name := range unused {
		t.Errorf("withoutBegin has %s, which is no method of a service", name)
	}
}

func TestServicesStaySmall(t *testing.T) {
	for dir, list := range serviceMethods(t) {
		if len(list) > maxServiceMethods {
			t.Errorf("the service of %s has %d exported methods, the limit is %d; give a part of it a package", dir, len(list),
				maxServiceMethods)
		}
	}
}

func TestPackageSizes(t *testing.T) {
	lines := map[string]int{}
	for _, f := range sources(t) {
		if !f.isTest() && !strings.HasSuffix(f.dir, "test") && !ast.IsGenerated(f.ast) {
			lines[f.dir] += f.lines
		}
	}
	bySize := slices.SortedFunc(maps.Keys(lines), func(a, b string) int { return lines[b] - lines[a] })
	for _, dir := range bySize {
		limit := max(maxPackageLines, largePackages[dir].lines)
		switch {
		case lines[dir] > limit:
			t.Errorf("package %s has %d lines, the limit is %d; split it, or state a reason in largePackages", dir, lines[dir],
				limit)
		case lines[dir] > bigPackageLines:
			t.Logf("package %s has %d lines", dir, lines[dir])
		}
	}
}

// beginsFirst reports whether the first call in fn's first statement is Begin on the receiver, or a function that
// begins with it. The call itself is first, its arguments follow.
func beginsFirst(fn *ast.FuncDecl) bool {
	if len(fn.Body.List) == 0 || len(fn.Recv.List[0].Names) == 0 {
		return false
	}
	self, first := fn.Recv.List[0].Names[0].Name, ""
	ast.Inspect(fn.Body.List[0], func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && first == "" {
			first = "something else"
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				first = fmt.Sprintf("%s.%s", sel.X, sel.Sel.Name)
			}
		}
		return first == ""
	})
	return first == self+".Begin" || first == self+".BeginWrite" || first == "gate.BeginView"
}

// receiver returns the type name of fn's receiver, "" for a function.
func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	typ := fn.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	switch typ := typ.(type) {
	case *ast.Ident:
		return typ.Name
	case *ast.IndexExpr:
		return fmt.Sprint(typ.X)
	}
	return ""
}

var flagOfAudit = regexp.MustCompile(`gate\.(WithChange|WithCall|OfReads|NotAudited)`)

// TestRulesNameTheirAudit looks at the actions on what holds memories: each rule says what Loci records, so that
// gate.OfReads decides about all reads.
func TestRulesNameTheirAudit(t *testing.T) {
	for _, path := range []string{"internal/memory/actions.go", "internal/node/actions.go"} {
		rules := strings.Split(readText(t, path), "Actions.Add(")[1:]
		if len(rules) == 0 {
			t.Errorf("%s: no rules were found", path)
		}
		for _, rule := range rules {
			if !flagOfAudit.MatchString(rule) {
				t.Errorf("%s: say what is recorded in %s", path, strings.TrimSpace(rule))
			}
		}
	}
}

func TestTestsDoNotSleep(t *testing.T) {
	for _, f := range sources(t) {
		if !f.isTest() && !strings.HasSuffix(f.dir, "test") {
			continue
		}
		for _, use := range uses(f.ast, "time", "Sleep") {
			t.Errorf("%s sleeps in a test; inject the clock, use testing/synctest or wait for an event", use)
		}
	}
}
