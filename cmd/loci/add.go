package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/agent"
	"github.com/loci-memory/loci/internal/auth"
	"github.com/loci-memory/loci/internal/memory"
	"github.com/loci-memory/loci/internal/project"
)

// memoryFlags are attributes of a memory that a person can set.
type memoryFlags struct {
	memory.Draft
	summary, file, project string
	pinned                 bool
}

func (f *memoryFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.Title, "title", "", "short label to browse by")
	flags.StringVar(&f.summary, "summary", "", "short summary")
	flags.StringVar(&f.Key, "key", "", "key of the fact; saving the key again updates the memory")
	flags.StringVar(&f.Category, "category", "", `category, such as "fact" or "decision"`)
	flags.StringVar((*string)(&f.Type), "type", "",
		"semantic (a fact), episodic (something that happened) or procedural (how to)")
	flags.StringArrayVar(&f.Tags, "tag", nil, "tag; may be repeated")
	vendorsFlag(cmd, &f.AllowedVendors, `vendors that may read it, such as claude,cursor; "*" means all`)
	flags.IntVar(&f.Importance, "importance", 0,
		fmt.Sprintf("importance from %d to %d", loci.MinImportance, loci.MaxImportance))
	flags.BoolVar(&f.pinned, "pinned", false, "pin it: every briefing shows it")
	timeFlag(cmd, &f.ExpiresAt, "expires", "when it expires: 12h, 90d, tomorrow, 2026-01-31 or another time ahead",
		parseFuture)
	timeFlag(cmd, &f.ValidFrom, "valid-from", "when it became true: a time such as 2026-01-31 or 3d (ago)", parsePast)
	timeFlag(cmd, &f.ValidTo, "valid-to", "when it stopped being true: a time; \"in 3d\" lies ahead", parsePast)
	flags.StringVar(&f.file, "file", "", `read the content from a file, unchanged; "-" is standard input`)
}

// addPlace adds the flags for where a memory stands.
func (f *memoryFlags) addPlace(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(&f.Scope), "scope", "",
		"global (only you), project (also its members) or agent (only sessions of the agent)")
	cmd.Flags().StringVar(&f.project, "project", "", "project that it is about, by name or id")
}

// saveFlags are memoryFlags and the flags that only a new memory has.
type saveFlags struct {
	memoryFlags
	agent, session       string
	supersedes, corrects []string
}

func (f *saveFlags) add(cmd *cobra.Command) {
	f.memoryFlags.add(cmd)
	flags := cmd.Flags()
	timeFlag(cmd, &f.TTL, "ttl", "how long until it expires: 12h, 90d or a time ahead", parseLifetime)
	f.addPlace(cmd)
	flags.StringVar(&f.agent, "agent", "", "agent, for scope agent (default: the agent of --session)")
	sessionFlag(cmd, &f.session)
	flags.StringVar(&f.Source, "source", "", `how it was captured, such as "manual"`)
	flags.StringVar((*string)(&f.Dedupe), "dedupe", "",
		`if a memory has the key or the same text: "update" it (default) or "create" another`)
	flags.StringSliceVar(&f.supersedes, "supersedes", nil, "id of a memory that this one replaces; may be repeated")
	flags.StringSliceVar(&f.corrects, "corrects", nil, "id of a memory that was wrong; may be repeated")
	flags.BoolVar(&f.Share, "share", false, "share it with the team, in the same step")
}

func (p *program) addCommand() *cobra.Command {
	var f saveFlags
	var vendor string
	cmd := p.acting(starts, &cobra.Command{
		Use:   "add [CONTENT]",
		Short: "Save a memory",
		Long: `Save a memory. The content is the argument, --file, or standard input. Loci stores it
unchanged, except that it drops one line break at the end of standard input, and stores
a UTF-16 file as UTF-8, without byte order mark. Without --title, the first line becomes
the title.

With --key, the save updates the memory that has this key in the same scope and
project, if there is one. Attributes without a flag do not change, and Loci keeps the
old version. A new memory with a key and no --title has the key as its title.

Without --key, Loci does not store the same text twice: if you saved it before in the
same place and add nothing, the answer is "identical". --dedupe create stores it again.`,
		Example: `  loci add "We deploy on Tuesdays, never on Fridays." --title Deploys --tag ops
  loci add "We deploy on Thursdays." --key deploy.day
  git log -1 --format=%B | loci add --tag commit --allow claude,cursor`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("too many arguments: put the content in quotes")
			}
			return nil
		},
		Annotations: does(memory.Create, memory.Share, project.Read, agent.Read),
		PreRunE: func(cmd *cobra.Command, args []string) (err error) {
			if f.Content, err = p.content(args, f.file); err != nil {
				return err
			}
			if f.Content == "" || f.Title == "" && strings.TrimSpace(f.Content) == "" {
				return loci.FieldErrorf("content", "must not be empty; pass it as an argument, with --file, or on standard input")
			}
			return f.complete(cmd)
		},
	}, func(ctx context.Context, c *call) error { return p.save(ctx, c.instance, &f, vendor) })
	f.add(cmd)
	cmd.Flags().StringVar(&vendor, "as", "", "save it as this vendor's assistant would")
	return cmd
}

func (p *program) save(ctx context.Context, in *instance, f *saveFlags, vendor string) error {
	d := &f.Draft
	who, err := in.as(ctx, vendor)
	if err != nil {
		return err
	}
	if who, err = in.during(ctx, who, f.session); err != nil {
		return err
	}
	if f.agent != "" {
		if d.AgentID, err = in.agentID(ctx, who, f.agent); err != nil {
			return err
		}
	}
	if d.ProjectID, err = in.projectID(ctx, who, f.project); err != nil {
		return err
	}
	if d.Supersedes, err = in.memoryIDs(ctx, who, f.supersedes); err != nil {
		return err
	}
	if d.Corrects, err = in.memoryIDs(ctx, who, f.corrects); err != nil {
		return err
	}
	m, err := in.app.Memory.Create(ctx, who, *d)
	if err != nil {
		return err
	}
	return p.printSaved(ctx, in, m)
}

func (p *program) printSaved(ctx context.Context, in *instance, m *loci.Saved) error {
	if p.json {
		return p.printJSON(m)
	}
	done := "added"
	switch {
	case m.Identical:
		done = "identical"
	case m.Unchanged:
		done = "unchanged"
	case !m.Created():
		done = "changed"
	}
	if err := p.saved(done, &m.Memory); err != nil {
		return err
	}
	p.printReplacedVersion(m)
	// the save may not have asked for that
	if (m.Identical || !m.Unchanged) && !slices.Contains(m.AllowedVendors, loci.AnyVendor) {
		p.printVisible(ctx, in, &m.Memory)
	} else {
		p.printShared(ctx, in, &m.Memory)
	}
	if m.Twin != "" {
		p.printf("%s\n", m.Twin)
	}
	hint := strings.TrimSpace(strings.TrimSuffix(m.Hint, m.Twin))
	if hint != "" && hint != loci.SecretHint(m.Secrets) && len(m.NoLongerShared) == 0 {
		p.printf("only you can read it, not the project; to share it with the project, run:\n    %s\n",
			p.onSameData(inProject(m.ProjectID.Short(), m.ID)))
	}
	p.printTimes(ctx, in, m)
	for _, id := range m.Superseded {
		p.printf("superseded %s\n", id)
	}
	p.printGap(ctx, in, m)
	for _, id := range m.Narrowed {
		p.printf("narrowed %s to the vendors that may read the new memory\n", id)
	}
	for _, o := range m.NotNarrowed {
		p.printf("not narrowed %s: %s can still read it\n", o.ID, joined(o.AllowedVendors))
	}
	for _, o := range m.NoLongerShared {
		p.printf("%s can read %s, but not this one%s\n", o.SharedWith, o.ID, p.onSameData(toShare(o.SharedWith, m.ID, "")))
	}
	for _, s := range m.Suggestions {
		p.printf("suggested %s: %s memory %s of another origin; its owner decides\n", s.ID, s.Kind, s.MemoryID)
		if s.UserID != m.UserID {
			p.printf("another person owns it, who sees the suggestion only if they can see this memory: %s\n",
				p.onSameData("loci share "+m.ID.Short()))
		}
	}
	for _, o := range m.Similar {
		how := string(o.Relation)
		if o.Score > 0 {
			how += fmt.Sprintf(", %.0f %%", 100*o.Score)
		}
		p.printf("similar %s (%s): %s\n", o.ID, how, cut(o.Title, 60))
	}
	return nil
}

func inProject(project string, id loci.MemoryID) string {
	return "loci edit " + id.Short() + " --scope project --project " + project
}

// toShare tells how to share a memory with people, as loci.Access.SharedWith calls them.
func toShare(people string, id loci.MemoryID, flags string) (text string) {
	if strings.Contains(people, "team") {
		text = "; to share it with the team, run: loci share " + id.Short() + flags
	}
	if strings.Contains(people, "project") {
		text += "; to share it with the project, run: " + inProject("PROJECT", id)
	}
	return text
}

// printTimes says when searches find the memory.
func (p *program) printTimes(ctx context.Context, in *instance, m *loci.Saved) {
	if !m.Unchanged && m.ValidFrom.After(m.UpdatedAt) {
		p.printf("true from %s; searches find it then\n", p.showTime(m.ValidFrom))
	}
	if !m.Unchanged && !m.ValidTo.IsZero() {
		hint := ""
		if !m.ValidTo.After(m.UpdatedAt) {
			hint = "; searches find it only with --as-of"
		}
		p.printf("true until %s%s\n", p.showTime(m.ValidTo), hint)
	}
	if !m.ExpiresAt.IsZero() {
		p.printf("expires %s", p.showTime(m.ExpiresAt))
		if len(m.Superseded) > 0 {
			ways := loci.Mapped(m.Superseded, func(id loci.MemoryID) string { return p.wayBack(ctx, in, id) })
			p.printf("; what it superseded stays superseded then: bring it back with %s", strings.Join(ways, " and "))
		}
		p.printf("\n")
	}
}

// printReplacedVersion says whose text a save by key replaced, and who may replace it again.
func (p *program) printReplacedVersion(m *loci.Saved) {
	if m.ReplacedEditor != "" {
		p.printf("replaced version %d, which %s wrote; the history keeps it\n", m.ReplacedVersion, m.ReplacedEditor)
	}
	if m.ReplacedTitle != "" {
		p.printf("this key had another title and text: %q; to bring them back, run: %s\n", m.ReplacedTitle,
			p.onSameData(fmt.Sprintf("loci revert %s %d", m.ID.Short(), m.ReplacedVersion)))
	}
	may := loci.Covers(m.AllowedVendors, []loci.Vendor{loci.Vendor(m.Origin)})
	if m.ReplacedVersion > 0 && m.Origin != m.Editor && auth.CheckVendor(loci.Vendor(m.Origin)) == nil && may {
		p.printf("it stays a memory of %s, whose next save with this key changes it again\n", m.Origin)
	}
}

// printGap says that a save of a coming value took away the present one, and how to have both.
func (p *program) printGap(ctx context.Context, in *instance, m *loci.Saved) {
	if m.NoValueUntil.IsZero() {
		return
	}
	p.printf("until %s, searches find neither this text nor what it replaced; to find that until then, run:\n",
		p.showTime(m.NoValueUntil))
	end := m.NoValueUntil.Format(time.RFC3339)
	for _, id := range m.Superseded {
		p.printf("    %s\n", p.wayBack(ctx, in, id))
		p.printf("    %s\n", p.onSameData("loci edit "+id.Short()+" --valid-to "+end))
	}
	if m.ReplacedVersion > 0 {
		id := m.ID.Short()
		p.printf("    %s\n", p.onSameData(fmt.Sprintf("loci revert %s %d", id, m.ReplacedVersion)))
		p.printf("    %s\n", p.onSameData("loci edit "+id+" --valid-to "+end))
		p.printf("    %s   # as before\n", p.onSameData("loci add TEXT --key "+quoted(m.Key)+" --valid-from "+end))
	}
}

// wayBack is the command that makes a superseded memory current again.
func (p *program) wayBack(ctx context.Context, in *instance, id loci.MemoryID) string {
	version := "VERSION" // of a memory that only its owner can revert
	_, err := in.app.Memory.Get(ctx, in.operator, id)
	if why, ok := errors.AsType[*memory.ReplacedError](err); ok && why.RevertTo != 0 {
		version = strconv.Itoa(why.RevertTo)
	}
	return p.onSameData("loci revert "+id.Short()) + " " + version
}

// complete makes a draft of the flags, and checks them.
func (f *saveFlags) complete(cmd *cobra.Command) error {
	for _, name := range []string{"valid-from", "valid-to"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return loci.FieldErrorf("--"+name, `must be a time; to clear it, run loci edit ID --%s ""`, name)
		}
	}
	if f.Title == "" && f.Key == "" {
		f.Title = strings.ToValidUTF8(firstLine(f.Content), "?") // the error is about the content
	}
	f.Summary, f.Pinned = given(cmd, "summary", &f.summary), given(cmd, "pinned", &f.pinned)
	if cmd.Flags().Changed("importance") && f.Importance == 0 {
		return loci.FieldErrorf("--importance", loci.RangeText, loci.MinImportance, loci.MaxImportance)
	}
	return checkMemoryIDs(slices.Concat(f.supersedes, f.corrects))
}

// parseLifetime reads how long it is from now until the time of a flag.
func parseLifetime(flag, s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	now := time.Now()
	until, err := loci.ParseTimeNear(s, now, true)
	if err != nil {
		return 0, loci.FieldErrorf(flag, "%s", err)
	}
	return until.Sub(now), nil
}

// firstLine returns the title for a content without one.
func firstLine(content string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
	return cut(line, 80)
}

// content returns what to store: the argument, a file or standard input.
func (p *program) content(args []string, file string) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", usagef("specify the content as an argument or with --file, not both")
	case len(args) > 0 && args[0] != "-":
		return args[0], nil
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", usagef("cannot read %s: %w", file, withoutPath(err))
		}
		defer f.Close()
		return readLimited(f)
	case len(args) == 0 && file == "" && isTerminal(p.in):
		return "", usagef("missing content: pass it as an argument, with --file, or on standard input")
	}
	return readContent(p.in)
}

// readContent drops one line break at the end, which comes from the terminal, a program or the editor.
func readContent(r io.Reader) (string, error) {
	text, err := readLimited(r)
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"), err
}

// readLimited stops soon after the longest allowed content.
func readLimited(r io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(plainText(r), 4*loci.MaxContent+2))
	return string(b), err
}
