// Command sizes prints how large the code is: lines by package, the widest
// interfaces and services, and the lengths of lines. With revisions of the
// repository as arguments it prints a column for each of them.
//
//	go run ./test/sizes v0.1 HEAD
//
// Without arguments it measures the files of the working tree. The product is
// everything that is not a test, storetest or below test/.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// rows is how many packages, interfaces and services are printed.
const rows = 12

// size is what one revision measures.
type size struct {
	lines    map[string]int // of the product, by package
	wide     map[string]int // methods by interface
	services map[string]int // exported methods by type, where a type is called Service or App
	lengths  []int          // of all lines of code, also of tests
	tests    int            // lines of tests
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

func run(revisions []string) error {
	var sizes []*size
	if len(revisions) == 0 {
		s, err := measureTree(os.DirFS("."))
		if err != nil {
			return err
		}
		revisions, sizes = []string{"working tree"}, []*size{s}
	} else {
		for _, rev := range revisions {
			s, err := measureRevision(rev)
			if err != nil {
				return fmt.Errorf("%s: %w", rev, err)
			}
			sizes = append(sizes, s)
		}
	}
	return report(os.Stdout, revisions, sizes)
}

func newSize() *size {
	return &size{lines: map[string]int{}, wide: map[string]int{}, services: map[string]int{}}
}

func measureTree(tree fs.FS) (*size, error) {
	s := newSize()
	return s, fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && name != "." && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "node_modules") {
				return fs.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return s.add(name, text)
	})
}

func measureRevision(rev string) (*size, error) {
	archive, err := exec.Command("git", "archive", "--format=tar", rev).Output()
	if err != nil {
		return nil, fmt.Errorf("git archive: %w", err)
	}
	s, r := newSize(), tar.NewReader(bytes.NewReader(archive))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag != tar.TypeReg || !strings.HasSuffix(header.Name, ".go") ||
			strings.Contains(header.Name, "testdata/") {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if err := s.add(header.Name, text); err != nil {
			return nil, err
		}
	}
}

// add measures one Go file.
func (s *size) add(name string, text []byte) error {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for _, l := range lines {
		s.lengths = append(s.lengths, utf8.RuneCountInString(l))
	}
	dir := path.Dir(name)
	if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(dir, "storetest") || strings.HasPrefix(dir, "test/") {
		s.tests += len(lines)
		return nil
	}
	s.lines[dir] += len(lines)
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.GenDecl:
			s.addInterfaces(dir, d)
		case *ast.FuncDecl:
			if receiver := receiverName(d); (receiver == "Service" || receiver == "App") && d.Name.IsExported() {
				s.services[dir+"."+receiver]++
			}
		}
	}
	return nil
}

func (s *size) addInterfaces(dir string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if i, ok := t.Type.(*ast.InterfaceType); ok {
			s.wide[dir+"."+t.Name.Name] += i.Methods.NumFields()
		}
	}
}

func receiverName(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	id, _ := t.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

func report(w io.Writer, revisions []string, sizes []*size) error {
	out := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	line := func(name string, of func(*size) int) {
		fmt.Fprint(out, name)
		for _, s := range sizes {
			fmt.Fprintf(out, "\t%d", of(s))
		}
		fmt.Fprintln(out, "\t")
	}
	fmt.Fprintln(out, "\t"+strings.Join(revisions, "\t")+"\t")
	line("lines of the product", func(s *size) (n int) {
		for _, lines := range s.lines {
			n += lines
		}
		return n
	})
	line("lines of tests and storetest", func(s *size) int { return s.tests })
	for _, percent := range []int{50, 95, 99, 100} {
		line(fmt.Sprintf("%d %% of lines have at most, columns", percent), func(s *size) int {
			slices.Sort(s.lengths)
			return s.lengths[(len(s.lengths)-1)*percent/100]
		})
	}
	line("lines over 120 columns", func(s *size) (n int) {
		for _, l := range s.lengths {
			if l > 120 {
				n++
			}
		}
		return n
	})
	for _, part := range []struct {
		title string
		of    func(*size) map[string]int
	}{
		{"lines of ", func(s *size) map[string]int { return s.lines }},
		{"methods of the interface ", func(s *size) map[string]int { return s.wide }},
		{"exported methods of ", func(s *size) map[string]int { return s.services }},
	} {
		for _, name := range largest(sizes, part.of) {
			line(part.title+name, func(s *size) int { return part.of(s)[name] })
		}
	}
	return out.Flush()
}

// largest are the names that are among the largest of any revision, largest first.
func largest(sizes []*size, of func(*size) map[string]int) []string {
	biggest := map[string]int{}
	for _, s := range sizes {
		values := of(s)
		names := slices.SortedFunc(maps.Keys(values), func(a, b string) int {
			return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b))
		})
		for _, name := range names[:min(rows, len(names))] {
			biggest[name] = max(biggest[name], values[name])
		}
	}
	return slices.SortedFunc(maps.Keys(biggest), func(a, b string) int {
		return cmp.Or(cmp.Compare(biggest[b], biggest[a]), cmp.Compare(a, b))
	})
}
