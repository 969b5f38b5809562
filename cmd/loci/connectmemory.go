package main

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loci-memory/loci"
	wire "github.com/loci-memory/loci/client"
	"github.com/loci-memory/loci/internal/clientfile"
	"github.com/loci-memory/loci/internal/graph"
	"github.com/loci-memory/loci/internal/mcpserver"
)

// replaceMemory replaces the reference memory server by Loci in a client's file. First it imports the server's file. It
// keeps the entry's name, because clients store under that name which of the server's tools they allow.
func (p *program) replaceMemory(ctx context.Context, in *instance, c *client, o *connecting) (*connected, error) {
	server, err := p.memoryServer(c)
	if err != nil {
		return nil, err
	}
	c = c.replacing(server.name)
	w, err := p.wanted(ctx, in, c, o)
	if err != nil {
		return nil, err
	}
	e, err := p.endpoint(c, w)
	if err != nil {
		return nil, err
	}
	moved := &moving{project: o.project}
	if !o.given("project") {
		moved.project = server.project
	}
	moved.project = cmp.Or(moved.project, mcpserver.ReferenceProject)
	e.Offer(clientfile.Offer{Compat: mcpserver.CompatReference, Project: moved.project})
	if server.words == nil { // replaced already
		return p.connect(ctx, in, c, e, o.offered, moved)
	}
	if moved.file, err = p.memoryFile(c, server, o.memoryFile); err != nil {
		return nil, err
	}
	return p.connect(ctx, in, c, e, o.offered, moved)
}

// replacing is the client with the entry of that name as Loci's, and a record of its own.
func (c *client) replacing(name string) *client {
	d := *c
	d.format = c.format.Named(name)
	d.record = c.id + ".memory"
	return &d
}

// memoryServer is an entry that runs the reference memory server.
type memoryServer struct {
	name    string
	words   []string // the command and its arguments; nil: Loci has replaced it
	env     map[string]string
	project string // if Loci has replaced it
}

// memoryServer finds the one entry in the client's file.
func (p *program) memoryServer(c *client) (memoryServer, error) {
	file := c.file(p.settings)
	now, err := c.readFile(file)
	if err != nil {
		return memoryServer{}, err
	}
	found := memoryServers(now.Parsed[c.format.Table()])
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := loci.Mapped(found, func(s memoryServer) string { return s.name })
		return memoryServer{}, loci.Errorf(loci.Conflict, "cannot replace the memory server of %s: %s has %d entries for it "+
			"(%s); remove all but one", c.name, file, len(found), strings.Join(names, ", "))
	}
	n, err := p.connection(c.replacing(""))
	if err != nil {
		return memoryServer{}, err
	}
	if n != nil {
		return memoryServer{name: n.Name, project: n.Project}, nil
	}
	return memoryServer{}, loci.Errorf(loci.NotFound, "cannot replace the memory server of %s: no entry of %s runs "+
		"@modelcontextprotocol/server-memory or mcp/memory; to add Loci, run: loci connect %s", c.name, file, c.id)
}

func (p *program) withMemoryServer(list []*client) (with []*client, err error) {
	for _, c := range list {
		switch _, err := p.memoryServer(c); {
		case err == nil || loci.CodeOf(err) == loci.Conflict:
			with = append(with, c)
		case loci.CodeOf(err) != loci.NotFound:
			return nil, err
		}
	}
	if len(with) == 0 {
		return nil, loci.Errorf(loci.NotFound, "cannot find the reference memory server in the file of any client; "+
			"to add Loci, run: loci connect")
	}
	return with, nil
}

// These are the program of the reference memory server, as npm package, command or path, and its image.
var (
	memoryProgram = regexp.MustCompile(`(^|/)(@modelcontextprotocol/server-memory|mcp-server-memory)(@[^/]*)?($|/)`)
	memoryImage   = regexp.MustCompile(`^(docker\.io/)?mcp/memory([:@].*)?$`)
)

// memoryServers returns the entries of a table of servers that run the reference memory server.
func memoryServers(table any) (found []memoryServer) {
	entries, _ := table.(map[string]any)
	for name, value := range entries {
		entry, _ := value.(map[string]any)
		s := memoryServer{name: name, words: clientfile.Words(entry), env: clientfile.Variables(entry)}
		if slices.ContainsFunc(s.words, func(w string) bool {
			return memoryProgram.MatchString(filepath.ToSlash(w)) || memoryImage.MatchString(w)
		}) {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b memoryServer) int { return strings.Compare(a.name, b.name) })
	return found
}

// noMemoryFile is the value of --memory-file to import nothing.
const noMemoryFile = "none"

// memoryFile returns the file of a reference memory server, or "" if there is nothing to import.
func (p *program) memoryFile(c *client, s memoryServer, chosen string) (string, error) {
	switch {
	case chosen == noMemoryFile:
		return "", nil
	case chosen != "":
		return filepath.Abs(chosen)
	}
	set := s.env["MEMORY_FILE_PATH"]
	if strings.Contains(set, "$") {
		return "", loci.Errorf(loci.Invalid, "cannot find the file of the memory server of %s: MEMORY_FILE_PATH is %s; "+
			"pass --memory-file FILE", c.name, quoted(set))
	}
	if filepath.IsAbs(set) && !s.inContainer() {
		if !isFile(set) {
			p.note("The memory server of %s would use %s, which does not exist yet.", c.name, set)
			return "", nil
		}
		return set, nil
	}
	found := s.candidates(p.settings, set)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", loci.Errorf(loci.NotFound, "cannot find the file of the memory server of %s; pass --memory-file FILE, or "+
			"--memory-file %s to import nothing", c.name, noMemoryFile)
	}
	return "", loci.Errorf(loci.Conflict, "cannot choose the file of the memory server of %s; pass --memory-file with "+
		"one of %s", c.name, strings.Join(found, ", "))
}

// candidates returns the files that the server may have written: in its own directory, wherever npm or a container has
// that. A release uses memory.jsonl, or memory.json if only that exists.
func (s memoryServer) candidates(o *settings, name string) (found []string) {
	names := []string{"memory.jsonl", "memory.json"}
	if name != "" {
		names = []string{name}
	}
	for _, dir := range s.directories(o) {
		for _, name := range names {
			if file := filepath.Join(dir, filepath.FromSlash(name)); isFile(file) {
				found = append(found, file)
				break
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

const packageDir = "node_modules/@modelcontextprotocol/server-memory/dist"

func (s memoryServer) directories(o *settings) (dirs []string) {
	if s.inContainer() {
		return s.mounts()
	}
	for _, w := range s.words {
		if filepath.IsAbs(w) && path.Ext(w) == ".js" {
			dirs = append(dirs, filepath.Dir(w))
		}
	}
	if len(dirs) > 0 {
		return dirs
	}
	for _, cache := range []string{".npm", "AppData/Local/npm-cache"} {
		pattern := filepath.Join(o.Home, filepath.FromSlash(cache), "_npx", "*", filepath.FromSlash(packageDir))
		more, err := filepath.Glob(pattern)
		if err == nil {
			dirs = append(dirs, more...)
		}
	}
	return dirs
}

func (s memoryServer) inContainer() bool {
	return slices.ContainsFunc(s.words, memoryImage.MatchString)
}

// mounts returns the directories of this machine that a container mounts over the server's own. Named volumes are not
// among them.
func (s memoryServer) mounts() (dirs []string) {
	for _, w := range s.words {
		w = strings.TrimPrefix(strings.TrimPrefix(w, "--volume="), "-v=")
		if from, to, ok := strings.Cut(w, ":/app/dist"); ok && filepath.IsAbs(from) && (to == "" || to[0] == ':') {
			dirs = append(dirs, from)
		}
	}
	return dirs
}

// moving is the import of a replaced server's graph. A nil one does nothing.
type moving struct {
	file    string // "": none
	project string
	made    loci.ProjectID // created for the import, by who
	who     loci.Principal
	done    *wire.GraphImported
}

func (m *moving) announce(p *program) {
	if m != nil && m.file != "" {
		p.note("This imports %s into project %s. The file stays as it is.", m.file, cut(m.project, 100))
	}
}

// run imports the file, into a new project if it is missing. If that fails, it deletes the new project.
func (m *moving) run(ctx context.Context, p *program, in *instance) error {
	if m == nil {
		return nil
	}
	g, err := p.importTarget(ctx, in, &actor{}, m.project, true)
	if err != nil {
		return err
	}
	if g.made {
		m.made, m.who = g.project.ID, g.who
	}
	if m.file == "" {
		return nil
	}
	r, size, err := p.openText(ctx, m.file)
	if err != nil {
		return errors.Join(err, m.undo(context.WithoutCancel(ctx), p, in))
	}
	defer r.Close()
	report, rejected, err := p.loadGraph(ctx, g, r, size, graph.ImportOptions{})
	if lost := report.Refused - report.Dangling; err == nil && lost > 0 {
		err = loci.Errorf(loci.Invalid, "cannot import %s of %s, so nothing was replaced; repair these lines there, or "+
			"delete them, and run this again", loci.Plural(lost, "row", "rows"), m.file)
	}
	if err != nil {
		return errors.Join(err, m.undo(context.WithoutCancel(ctx), p, in))
	}
	m.done = graphImported(report, rejected)
	p.note("Imported %s", importedText(report))
	return nil
}

// undo deletes the project that run created, and says so. Rows in a project that existed stay: the same import finds
// them again.
func (m *moving) undo(ctx context.Context, p *program, in *instance) error {
	if m == nil || m.made.IsZero() {
		return nil
	}
	err := in.app.Project.Delete(ctx, m.who, m.made)
	if err == nil {
		p.noteUnmade(m.project)
	}
	return err
}

func (m *moving) result() *wire.GraphImported {
	if m == nil {
		return nil
	}
	return m.done
}
