package loci_test

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// maxPackageDoc is the longest package comment that somebody still reads.
const maxPackageDoc = 25

// maxProse is the longest line of Markdown outside tables, code and links.
const maxProse = 100

var (
	linkTarget = regexp.MustCompile(`\]\([^)]*\)|https?://\S+`)
	oldVoice   = regexp.MustCompile(`\b(anew|whoever|mended|bring along|of its own|one sees)\b`)
)

func TestProseIsWrappedAndPlain(t *testing.T) {
	for _, path := range markdownFiles(t) {
		code := false
		for i, line := range strings.Split(readText(t, path), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if code {
				continue
			}
			if word := oldVoice.FindString(line); word != "" {
				t.Errorf("%s:%d: %q is hard to read; name the actor and use a standard word", path, i+1, word)
			}
			n := utf8.RuneCountInString(linkTarget.ReplaceAllString(line, "]"))
			if n > maxProse && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d: %d columns, the limit is %d", path, i+1, n, maxProse)
			}
		}
	}
}

// link finds the path and the anchor of links to files of the repository.
var link = regexp.MustCompile(`\]\(([^):#]*)(?:#([^)]+))?\)`)

// TestLinksLeadSomewhere checks the links between documents, with their anchors.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, path := range markdownFiles(t) {
		base := filepath.Dir(path)
		if strings.HasPrefix(path, "changes") {
			base = "." // a release moves these texts to CHANGELOG.md
		}
		for _, m := range link.FindAllStringSubmatch(readText(t, path), -1) {
			target, anchor := filepath.Join(base, m[1]), m[2]
			if m[1] == "" {
				target = path
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, m[1])
			} else if anchor != "" && !anchors(readText(t, target))[anchor] {
				t.Errorf("%s links to %s#%s, but no heading there has that name", path, m[1], anchor)
			}
		}
	}
}

var notInAnchor = regexp.MustCompile(`[^a-z0-9 _-]`)

// anchors returns the names that GitHub gives to the headings of a document.
func anchors(text string) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(text) {
		if heading := strings.TrimLeft(line, "#"); heading != line {
			name := notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			names[strings.ReplaceAll(name, " ", "-")] = true
		}
	}
	return names
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// markdownFiles lists the Markdown files of the repository.
func markdownFiles(t *testing.T) []string {
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEveryPackageHasAComment(t *testing.T) {
	packages := map[string]bool{}
	for _, f := range sources(t) {
		if f.isTest() {
			continue
		}
		documented := f.ast.Doc != nil
		packages[f.dir] = packages[f.dir] || documented
		if !documented {
			continue
		}
		text := f.ast.Doc.Text()
		if n := strings.Count(text, "\n"); n > maxPackageDoc {
			t.Errorf("%s: the package comment has %d lines, the limit is %d", f.path, n, maxPackageDoc)
		}
		if name := f.ast.Name.Name; name != "main" && !strings.HasPrefix(text, "Package "+name+" ") {
			t.Errorf("%s: the package comment does not start with %q", f.path, "Package "+name)
		}
	}
	for dir, documented := range packages {
		if !documented {
			t.Errorf("package %s has no package comment: what it does, what it leaves out, the one invariant", dir)
		}
	}
}

func TestExportedNamesHaveComments(t *testing.T) {
	for _, f := range sources(t) {
		if f.isTest() || f.ast.Name.Name == "main" || ast.IsGenerated(f.ast) {
			continue
		}
		for _, decl := range f.ast.Decls {
			for _, name := range undocumented(decl) {
				t.Errorf("%s: exported %s has no comment; write one sentence for the caller", fset.Position(name.Pos()), name.Name)
			}
		}
	}
}

// undocumented lists the exported names of decl that no comment describes. A
// comment on a group covers its members.
func undocumented(decl ast.Decl) []*ast.Ident {
	if fn, ok := decl.(*ast.FuncDecl); ok {
		if recv := receiver(fn); fn.Doc == nil && fn.Name.IsExported() && (recv == "" || ast.IsExported(recv)) {
			return []*ast.Ident{fn.Name}
		}
		return nil
	}
	var found []*ast.Ident
	gen, ok := decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if gen.Doc == nil && spec.Doc == nil && spec.Name.IsExported() {
				found = append(found, spec.Name)
			}
		case *ast.ValueSpec:
			if gen.Doc == nil && spec.Doc == nil && spec.Comment == nil {
				found = append(found, exported(spec.Names)...)
			}
		}
	}
	return found
}

func exported(names []*ast.Ident) []*ast.Ident {
	var found []*ast.Ident
	for _, name := range names {
		if name.IsExported() {
			found = append(found, name)
		}
	}
	return found
}

// docOf returns the comment directly above decl, nil if there is none.
func docOf(decl ast.Decl) *ast.CommentGroup {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return decl.Doc
	case *ast.GenDecl:
		if decl.Tok != token.IMPORT {
			return decl.Doc
		}
	}
	return nil
}

// inTrash finds how long the trash keeps rows, in paragraphs about the trash.
var inTrash = regexp.MustCompile(`\b(\d+) days\b`)

// TestDocsKnowTheTrash compares each paragraph about the trash with loci.TrashDays.
func TestDocsKnowTheTrash(t *testing.T) {
	seen := 0
	for _, path := range markdownFiles(t) {
		if path == "CHANGELOG.md" || strings.HasPrefix(path, "changes") {
			continue // they tell what was true then
		}
		for paragraph := range strings.SplitSeq(readText(t, path), "\n\n") {
			if !strings.Contains(strings.ToLower(paragraph), "trash") {
				continue
			}
			for _, m := range inTrash.FindAllStringSubmatch(paragraph, -1) {
				seen++
				if m[1] != strconv.Itoa(loci.TrashDays) {
					t.Errorf("%s says %s days beside the trash, which keeps rows %d days", path, m[1], loci.TrashDays)
				}
			}
		}
	}
	if seen < 4 {
		t.Errorf("only %d numbers of days were found", seen)
	}
}

// jsonBySed finds a command that cuts a field out of JSON with a pattern. A greedy one takes the last
// id of an answer, such as that of a similar memory.
var jsonBySed = regexp.MustCompile(`\| *(sed|grep|awk|cut)\b[^|]*"id`)

// TestDocsReadJSONWithJq keeps commands of documents from changing another thing than they name.
func TestDocsReadJSONWithJq(t *testing.T) {
	read := 0
	for _, path := range markdownFiles(t) {
		for i, line := range strings.Split(readText(t, path), "\n") {
			if jsonBySed.MatchString(line) {
				t.Errorf("%s:%d: read the JSON with jq, as in the other documents", path, i+1)
			}
			read += strings.Count(line, "| jq -r ")
		}
	}
	if read == 0 {
		t.Error("no command reads JSON with jq")
	}
}

// symptom finds the text of a message in the first column of the table of symptoms.
var symptom = regexp.MustCompile("(?m)^\\| [^|`]*`([^`|]+)`")

// TestSymptomsAreOurMessages keeps the messages that docs/clients.md explains equal to those of the source.
func TestSymptomsAreOurMessages(t *testing.T) {
	_, table, _ := strings.Cut(readText(t, "docs/clients.md"), "| symptom |")
	table, _, _ = strings.Cut(table, "\n\n")
	var source strings.Builder
	joint := regexp.MustCompile(`" \+\s*"`) // of a text on two lines
	for _, f := range sources(t) {
		if !f.isTest() {
			source.WriteString(joint.ReplaceAllString(readText(t, f.path), ""))
		}
	}
	found := symptom.FindAllStringSubmatch(table, -1)
	if len(found) < 8 {
		t.Fatalf("%d messages in the table of symptoms", len(found))
	}
	for _, m := range found {
		for part := range strings.SplitSeq(m[1], "…") {
			for _, words := range placeholder.Split(part, -1) {
				if words = strings.TrimSpace(words); !strings.Contains(source.String(), words) {
					t.Errorf("docs/clients.md explains %q, but no message contains %q", m[1], words)
				}
			}
		}
	}
}

// placeholder matches what a message has instead of its parameters in the docs.
var placeholder = regexp.MustCompile(`127\.0\.0\.1|5624`)
