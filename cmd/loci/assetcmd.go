package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/app"
)

func (p *program) assetCommands() []*cobra.Command {
	return []*cobra.Command{
		group("asset", "Attach files to memories", `Attach files to memories. A file is stored once, by what is in it, and is kept as
long as a memory has it. Who sees the memory sees its files.`,
			p.assetAddCommand(), p.assetListCommand(), p.assetGetCommand(), p.assetDeleteCommand()),
		p.sourceCommand(),
	}
}

// onMemory is whom a command about something of a memory acts for.
type onMemory struct{ org, user, vendor string }

func (o *onMemory) add(cmd *cobra.Command) {
	orgFlag(cmd, &o.org)
	userFlag(cmd, &o.user)
	cmd.Flags().StringVar(&o.vendor, "as", "", "do it as this vendor")
}

// principal is who acts: the person, or a vendor that acts for the owner.
func (o *onMemory) principal(ctx context.Context, in *instance) (loci.Principal, error) {
	if o.vendor == "" {
		return in.actFor(ctx, o.org, o.user)
	}
	if o.org != "" || o.user != "" {
		return loci.Principal{}, usagef("--as goes with neither --org nor --user")
	}
	return in.as(ctx, o.vendor)
}

// run opens the data directory and calls do with whoever acts.
func (o *onMemory) run(ctx context.Context, p *program, do func(*instance, loci.Principal) error) error {
	return p.with(ctx, refuse, func(in *instance) error {
		who, err := o.principal(ctx, in)
		if err != nil {
			return err
		}
		return do(in, who)
	})
}

func (p *program) assetAddCommand() *cobra.Command {
	var on onMemory
	var name, mediaType string
	cmd := &cobra.Command{
		Use: "add MEMORY FILE…", Short: "Attach files to a memory", Args: cobra.MinimumNArgs(2), Annotations: does(app.AssetAdd),
		Long: `Attach files to a memory; "-" is standard input and needs --name. What a file is
comes from its bytes; --type says more where they tell little, such as
text/markdown. A file that is attached already is not attached again.`,
		Example: `  loci asset add 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e diagram.png notes.pdf`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			if name != "" && len(args) > 2 {
				return usagef("--name goes with one FILE")
			}
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				made := []loci.Asset{}
				for _, file := range args[1:] {
					a, err := p.attach(cmd.Context(), in, who, id, file, app.Upload{Name: name, MediaType: mediaType})
					if err != nil {
						return err
					}
					made = append(made, a)
				}
				if p.json {
					return p.printJSON(page("assets", made))
				}
				return nil
			})
		},
	}
	on.add(cmd)
	cmd.Flags().StringVar(&name, "name", "", "what the file is called (default: as it is here)")
	cmd.Flags().StringVar(&mediaType, "type", "", "its media type, where the bytes do not tell (default: by the extension)")
	return cmd
}

// attach attaches one file; what u says of it comes first.
func (p *program) attach(ctx context.Context, in *instance, who loci.Principal, id loci.MemoryID, file string, u app.Upload) (loci.Asset, error) {
	r, size, err := p.openFile(ctx, file, "%s is a directory; name the files in it")
	if err != nil {
		return loci.Asset{}, err
	}
	defer r.Close()
	if u.Name == "" {
		if file == "-" {
			return loci.Asset{}, usagef("standard input needs --name")
		}
		u.Name = filepath.Base(file)
	}
	if u.MediaType == "" {
		u.MediaType = mime.TypeByExtension(filepath.Ext(u.Name))
	}
	bar := p.progress("attaching "+cut(u.Name, 40), size, true)
	u.Size, u.Body = size, io.TeeReader(r, bar)
	a, added, err := in.app.AddAsset(ctx, who, id, u)
	_ = bar.Finish()
	if err != nil {
		return a, aboutMemory(id, err)
	}
	if !p.json {
		verb := "attached"
		if !added {
			verb = "attached already:"
		}
		p.printf("%s %s %s (%s, %s)\n", verb, a.ID, loci.OneLine(a.Name), a.MediaType, showBytes(a.Size))
	}
	return a, nil
}

// openFile opens a file, or standard input for "-"; size is -1 if it is not known. directory says what is wrong with one.
func (p *program) openFile(ctx context.Context, name, directory string) (r io.ReadCloser, size int64, err error) {
	if name == "-" {
		return untilDone(ctx, p.in), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, usageError{err}
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		_ = f.Close()
		return nil, 0, err
	case info.IsDir():
		_ = f.Close()
		return nil, 0, usagef(directory, name)
	case !info.Mode().IsRegular():
		return f, -1, nil
	}
	return f, info.Size(), nil
}

func (p *program) assetListCommand() *cobra.Command {
	var on onMemory
	cmd := &cobra.Command{
		Use: "list MEMORY", Short: "List the files of a memory", Args: cobra.ExactArgs(1), Annotations: does(app.AssetRead),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseMemoryID(args[0])
			if err != nil {
				return err
			}
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				list, err := in.app.Assets(cmd.Context(), who, id)
				if err != nil {
					return aboutMemory(id, err)
				}
				return p.printAssets(list)
			})
		},
	}
	on.add(cmd)
	return cmd
}

func (p *program) printAssets(list []loci.Asset) error {
	if p.json {
		return p.printJSON(page("assets", notNil(list)))
	}
	if len(list) == 0 {
		p.note("no files; attach one with: loci asset add MEMORY FILE")
		return nil
	}
	rows := make([][]string, len(list))
	for i, a := range list {
		rows[i] = []string{a.ID.String(), a.Name, a.MediaType, showBytes(a.Size), a.Origin, showTime(a.CreatedAt)}
	}
	p.printTable([]string{"ID", "NAME", "TYPE", "SIZE", "ORIGIN", "CREATED"}, rows)
	return nil
}

func (p *program) assetGetCommand() *cobra.Command {
	var on onMemory
	var to string
	cmd := &cobra.Command{
		Use: "get ID", Short: "Write a file to standard output or, with -o, into a file", Args: cobra.ExactArgs(1), Annotations: does(app.AssetRead),
		Long: `Write a file to standard output or, with -o, into a file, which appears only when
it is complete; into a directory, under its own name. With --json it is not
written but described.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseAssetID(args[0])
			if err != nil {
				return err
			}
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				if p.json && to == "" {
					a, err := in.app.Asset(cmd.Context(), who, id)
					if err != nil {
						return aboutAsset(id, err)
					}
					return p.printJSON(a)
				}
				return p.download(cmd.Context(), in, who, id, to)
			})
		},
	}
	on.add(cmd)
	cmd.Flags().StringVarP(&to, "output", "o", "", `file or directory to write to; "-" is standard output, which it is if left out`)
	return cmd
}

func (p *program) download(ctx context.Context, in *instance, who loci.Principal, id loci.AssetID, to string) error {
	a, f, err := in.app.OpenAsset(ctx, who, id)
	if err != nil {
		return aboutAsset(id, err)
	}
	defer f.Close()
	switch info, err := os.Stat(to); {
	case to == "":
		to = "-"
	case err == nil && info.IsDir():
		to = filepath.Join(to, a.Name)
	}
	bar := p.progress("writing "+cut(a.Name, 40), a.Size, true)
	err = p.writeTo(to, func(w io.Writer) error {
		sum := sha256.New()
		_, err := io.Copy(io.MultiWriter(w, sum, bar), f)
		if err == nil && hex.EncodeToString(sum.Sum(nil)) != a.SHA256 {
			err = loci.Errorf(loci.Unavailable, "the file has changed on the disk; `loci doctor` says more")
		}
		return err
	})
	_ = bar.Finish()
	if err != nil || to == "-" {
		return err
	}
	if p.json {
		return p.printJSON(map[string]any{"asset": a, "file": to})
	}
	p.printf("wrote %s (%s)\n", to, showBytes(a.Size))
	return nil
}

func (p *program) assetDeleteCommand() *cobra.Command {
	var on onMemory
	var yes bool
	cmd := &cobra.Command{
		Use: "delete ID", Short: "Delete a file for good", Args: cobra.ExactArgs(1), Annotations: does(app.AssetDelete),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := parseAssetID(args[0])
			if err != nil {
				return err
			}
			return on.run(cmd.Context(), p, func(in *instance, who loci.Principal) error {
				a, err := in.app.Asset(cmd.Context(), who, id)
				if err != nil {
					return aboutAsset(id, err)
				}
				if err := p.sure(yes, "Delete the file "+loci.OneLine(a.Name)+" for good?"); err != nil {
					return err
				}
				if err := in.app.DeleteAsset(cmd.Context(), who, id); err != nil {
					return aboutAsset(id, err)
				}
				if p.json {
					return p.printJSON(a)
				}
				p.printf("deleted %s %s\n", a.ID, loci.OneLine(a.Name))
				return nil
			})
		},
	}
	on.add(cmd)
	yesFlag(cmd, &yes)
	return cmd
}

func parseAssetID(s string) (loci.AssetID, error) {
	var id loci.AssetID
	if err := id.UnmarshalText([]byte(s)); err != nil {
		return id, loci.Errorf(loci.Invalid, "%q is not an id: %s; `loci asset list MEMORY` shows ids", cut(s, 60), err)
	}
	return id, nil
}

func aboutAsset(id loci.AssetID, err error) error {
	if loci.CodeOf(err) == loci.NotFound {
		return loci.WrapError(loci.NotFound, err, "no file %s here; `loci asset list MEMORY` shows those of a memory", id)
	}
	return err
}
