package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

// memoryFlags are the attributes of a memory that a person can set.
type memoryFlags struct {
	title, summary, key, category, kind, expires, file string
	tags, allow                                        []string
	importance                                         int
	pinned                                             bool
}

func (f *memoryFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.title, "title", "", "short label to browse by")
	flags.StringVar(&f.summary, "summary", "", "what it says, in short")
	flags.StringVar(&f.key, "key", "", "name of the fact, to look it up by")
	flags.StringVar(&f.category, "category", "", `such as "fact" or "decision"`)
	flags.StringVar(&f.kind, "type", "", "semantic (a fact), episodic (something that happened) or procedural (how to)")
	flags.StringArrayVar(&f.tags, "tag", nil, "tag; repeat for several")
	flags.StringSliceVar(&f.allow, "allow", nil, `vendors that may read it, such as claude,cursor; "*" is all`)
	flags.IntVar(&f.importance, "importance", 0, "1 to 10")
	flags.BoolVar(&f.pinned, "pinned", false, "keep it in sight")
	flags.StringVar(&f.expires, "expires", "", "gone from then on: 90d, 12h or a time")
	flags.StringVar(&f.file, "file", "", `read the content from a file; "-" is standard input`)
}

func (f *memoryFlags) vendors() ([]loci.Vendor, error) { return parseVendors("--allow", f.allow) }

// saveFlags are the flags of memoryFlags, and those that say something about the save itself.
type saveFlags struct {
	memoryFlags
	ttl, scope, project, agent, session, source, dedupe, validFrom, validTo string
	supersedes, corrects                                                    []string
}

func (f *saveFlags) add(cmd *cobra.Command) {
	f.memoryFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.ttl, "ttl", "", "gone after that span: 90d or 12h")
	flags.StringVar(&f.scope, "scope", "", "who it is for, besides you: global (nobody), project (its members) or agent (its sessions)")
	flags.StringVar(&f.project, "project", "", "name or id of the project that it is about")
	flags.StringVar(&f.agent, "agent", "", "agent whose session this is (default for scope agent: that of --session)")
	sessionFlag(cmd, &f.session)
	flags.StringVar(&f.source, "source", "", `how it came here, such as "manual"`)
	flags.StringVar(&f.dedupe, "dedupe", "", `where there is a memory of the key: "update" (it) or "create" (another)`)
	flags.StringVar(&f.validFrom, "valid-from", "", "since when it holds: a day or a time")
	flags.StringVar(&f.validTo, "valid-to", "", "until when it held: a day or a time")
	flags.StringSliceVar(&f.supersedes, "supersedes", nil, "id of a memory that held until now; repeat for several")
	flags.StringSliceVar(&f.corrects, "corrects", nil, "id of a memory that never was right; repeat for several")
}

func (p *program) addCommand() *cobra.Command {
	var f saveFlags
	var vendor string
	cmd := &cobra.Command{
		Use:   "add [CONTENT]",
		Short: "Write a memory",
		Long: `Write a memory. The content is the argument, --file, or standard input; it is
stored exactly as it is. Without --title, the first line is the title.

With --key, the memory of that key in the same scope and project is changed if
there is one: what no flag names stays as it was, and the version before is kept.
The title of a new one without --title is the key.`,
		Example: `  loci add "We deploy on Tuesdays, never on Fridays." --title Deploys --tag ops
  loci add "We deploy on Thursdays." --key deploy.day
  git log -1 --format=%B | loci add --tag commit --allow claude,cursor`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("the content is one argument and here are %d; put it in quotes", len(args))
			}
			return nil
		},
		Annotations: does(app.MemoryCreate, app.ProjectRead, app.AgentRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := p.content(args, f.file)
			if err != nil {
				return err
			}
			if content == "" || f.title == "" && strings.TrimSpace(content) == "" {
				return loci.FieldErrorf("content", "must not be empty; give it as an argument, with --file, or on standard input")
			}
			d, err := f.draft(content, time.Now(), cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return p.with(cmd.Context(), create, func(in *instance) error { return p.save(cmd.Context(), in, &f, vendor, d) })
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&vendor, "as", "", "write it as this vendor would")
	return cmd
}

func (p *program) save(ctx context.Context, in *instance, f *saveFlags, vendor string, d app.Draft) error {
	who, err := in.as(ctx, vendor)
	if err != nil {
		return err
	}
	if who, err = in.during(ctx, who, f.session); err != nil {
		return err
	}
	if f.agent != "" {
		found, err := in.agent(ctx, who, f.agent)
		if err != nil {
			return err
		}
		d.AgentID = found.ID
	}
	if f.project != "" {
		found, err := in.project(ctx, who, f.project)
		if err != nil {
			return err
		}
		d.ProjectID = found.ID
	}
	m, err := in.app.Create(ctx, who, d)
	if err != nil {
		return err
	}
	return p.wroteDown(m)
}

// wroteDown says what came of a save.
func (p *program) wroteDown(m *loci.Saved) error {
	if p.json {
		return p.printJSON(m)
	}
	done := "added"
	switch {
	case m.Unchanged:
		done = "unchanged"
	case !m.Created():
		done = "changed"
	}
	if err := p.saved(done, &m.Memory); err != nil {
		return err
	}
	for _, id := range m.Superseded {
		p.printf("superseded %s\n", id)
	}
	for _, s := range m.Suggestions {
		p.printf("suggested %s: %s %s, which another wrote; its owner decides\n", s.ID, s.Kind, s.MemoryID)
	}
	for _, o := range m.Similar {
		p.printf("similar %s (%s, %.0f %%): %s\n", o.ID, o.Relation, 100*o.Score, cut(o.Title, 60))
	}
	return nil
}

// draft reads the flags. given says which of them there are.
func (f *saveFlags) draft(content string, now time.Time, given func(string) bool) (app.Draft, error) {
	d := app.Draft{Title: f.title, Content: content, Key: f.key, Category: f.category, Source: f.source, Dedupe: app.Dedupe(f.dedupe),
		Type: loci.MemoryType(f.kind), Tags: f.tags, Importance: f.importance, Scope: loci.Scope(f.scope)}
	if d.Title == "" && d.Key == "" {
		d.Title = firstLine(content)
	}
	if given("summary") {
		d.Summary = &f.summary
	}
	if given("pinned") {
		d.Pinned = &f.pinned
	}
	if given("importance") && f.importance == 0 {
		return d, loci.FieldErrorf("--importance", "must be from %d to %d", loci.MinImportance, loci.MaxImportance)
	}
	var err error
	if d.AllowedVendors, err = f.vendors(); err != nil {
		return d, err
	}
	if d.Supersedes, err = parseMemoryIDs(f.supersedes); err != nil {
		return d, err
	}
	if d.Corrects, err = parseMemoryIDs(f.corrects); err != nil {
		return d, err
	}
	return d, f.times(&d, now)
}

func (f *saveFlags) times(d *app.Draft, now time.Time) (err error) {
	if f.ttl != "" {
		if d.TTL, err = parseSpan(f.ttl); err != nil {
			return loci.FieldErrorf("--ttl", "must be a span like 90d or 12h")
		}
	}
	if d.ExpiresAt, err = parseExpiry(f.expires, now); err != nil {
		return err
	}
	for flag, at := range map[string]struct {
		text string
		to   *time.Time
	}{"--valid-from": {f.validFrom, &d.ValidFrom}, "--valid-to": {f.validTo, &d.ValidTo}} {
		if at.text == "" {
			continue
		}
		if *at.to, err = parseTime(flag, at.text); err != nil {
			return err
		}
	}
	return nil
}

func parseMemoryIDs(texts []string) ([]loci.MemoryID, error) {
	ids := make([]loci.MemoryID, 0, len(texts))
	for _, s := range texts {
		id, err := parseMemoryID(s)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// firstLine is the title of a content that was given none.
func firstLine(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	return cut(line, 80)
}

// content returns what to store: the argument, a file or standard input.
func (p *program) content(args []string, file string) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", usagef("the content is given twice: as an argument and as --file")
	case len(args) > 0 && args[0] != "-":
		return args[0], nil
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", usageError{err}
		}
		defer f.Close()
		return readContent(f)
	case len(args) == 0 && file == "" && isTerminal(p.in):
		return "", usagef(`there is no content: give it as an argument, with --file, or on standard input`)
	}
	return readContent(p.in)
}

// readContent stops soon after the longest content there can be. One line
// break at the end is the terminal's or the editor's, not the person's.
func readContent(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, 4*loci.MaxContent+2))
	text := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	return text, err
}
