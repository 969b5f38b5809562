package main

import (
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

func (p *program) addCommand() *cobra.Command {
	var f memoryFlags
	var vendor string
	cmd := &cobra.Command{
		Use:   "add [CONTENT]",
		Short: "Write a memory",
		Long: `Write a memory. The content is the argument, --file, or standard input; it is
stored exactly as it is. Without --title, the first line is the title.`,
		Example: `  loci add "We deploy on Tuesdays, never on Fridays." --title Deploys --tag ops
  git log -1 --format=%B | loci add --tag commit --allow claude,cursor`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("the content is one argument and here are %d; put it in quotes", len(args))
			}
			return nil
		},
		Annotations: does(app.MemoryCreate),
		RunE: func(cmd *cobra.Command, args []string) error {
			content, err := p.content(args, f.file)
			if err != nil {
				return err
			}
			if content == "" || f.title == "" && strings.TrimSpace(content) == "" {
				return loci.FieldErrorf("content", "must not be empty; give it as an argument, with --file, or on standard input")
			}
			return p.with(cmd.Context(), create, func(in *instance) error {
				d, err := f.draft(content, time.Now())
				if err != nil {
					return err
				}
				who, err := in.as(cmd.Context(), vendor)
				if err != nil {
					return err
				}
				m, err := in.app.Create(cmd.Context(), who, d)
				if err != nil {
					return err
				}
				return p.saved("added", &m.Memory)
			})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&vendor, "as", "", "write it as this vendor would")
	return cmd
}

func (f *memoryFlags) draft(content string, now time.Time) (app.Draft, error) {
	vendors, err := f.vendors()
	if err != nil {
		return app.Draft{}, err
	}
	expires, err := parseExpiry(f.expires, now)
	if err != nil {
		return app.Draft{}, err
	}
	title := f.title
	if title == "" {
		title = firstLine(content)
	}
	return app.Draft{Title: title, Content: content, Summary: f.summary, Key: f.key, Category: f.category,
		Type: loci.MemoryType(f.kind), Tags: f.tags, AllowedVendors: vendors, Importance: f.importance, Pinned: f.pinned, ExpiresAt: expires}, nil
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
