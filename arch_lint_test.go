package loci_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateLint = flag.Bool("update-lint", false, "write the table of arch_test.go to .golangci.yml")

// TestLinterMirrorsTheTable keeps depguard, which speaks while one types, equal
// to the table that decides.
func TestLinterMirrorsTheTable(t *testing.T) {
	text, err := os.ReadFile(".golangci.yml")
	if err != nil {
		t.Fatal(err)
	}
	const first, next = "    depguard:\n", "    staticcheck:\n"
	before, rest, ok := strings.Cut(string(text), first)
	_, after, ok2 := strings.Cut(rest, next)
	if !ok || !ok2 {
		t.Fatalf(".golangci.yml has no settings of depguard followed by those of staticcheck")
	}
	want := before + depguardRules() + next + after
	if want == string(text) {
		return
	}
	if !*updateLint {
		t.Fatal(".golangci.yml does not hold the table of arch_test.go; run: go test -run TestLinterMirrorsTheTable . " +
			"-update-lint")
	}
	if err := os.WriteFile(".golangci.yml", []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// depguardRules renders the table in depguard's terms.
func depguardRules() string {
	var b strings.Builder
	b.WriteString("    depguard:\n      rules:\n")
	for _, dir := range slices.Sorted(maps.Keys(arrows)) {
		name, files := strings.ReplaceAll(dir, "/", "-"), []string{"!$test", "${config-path}/" + dir + "/**.go"}
		allow := slices.Clone(arrows[dir])
		if dir == "." {
			name, files[1] = "root", "${config-path}/*.go"
		}
		nested := nestedIn(dir)
		for _, sub := range nested {
			files = append(files, "!${config-path}/"+sub+"/**.go")
		}
		fmt.Fprintf(&b, "        %s:\n          list-mode: lax\n          files:\n", name)
		for _, f := range files {
			fmt.Fprintf(&b, "            - %q\n", f)
		}
		var patterns []string
		for _, target := range allow {
			patterns = append(patterns, strings.TrimSuffix(modulePath+"/"+target, "/.")+"$")
		}
		if dir != "." && len(nested) == 0 {
			patterns = append(patterns, modulePath+"/"+dir+"$", modulePath+"/"+dir+"/")
		}
		if len(patterns) > 0 {
			b.WriteString("          allow:\n")
		}
		for _, p := range patterns {
			fmt.Fprintf(&b, "            - %s\n", p)
		}
		fmt.Fprintf(&b, "          deny:\n            - pkg: %s\n              desc: not in the table of arch_test.go\n",
			modulePath)
	}
	b.WriteString("        forbidden:\n          list-mode: lax\n          files:\n            - \"!$test\"\n")
	b.WriteString("          deny:\n")
	for _, name := range slices.Sorted(maps.Keys(forbiddenImports)) {
		fmt.Fprintf(&b, "            - pkg: %s$\n              desc: %q\n", name, forbiddenImports[name])
	}
	return b.String()
}

// nestedIn lists the packages below dir that have a line of their own.
func nestedIn(dir string) []string {
	var found []string
	for _, other := range slices.Sorted(maps.Keys(arrows)) {
		if strings.HasPrefix(other, dir+"/") {
			found = append(found, other)
		}
	}
	return found
}
