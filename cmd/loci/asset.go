package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"mime"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/memory"
)

func (p *program) assetCommand() *cobra.Command {
	return group("asset", "Attach files to memories",
		`Attach files to memories. Loci stores each file once, by its content, as long as a
memory has it. Everybody who sees the memory sees its files.`,
		p.assetAddCommand(), p.assetListCommand(), p.assetGetCommand(), p.assetDeleteCommand())
}

func (p *program) assetAddCommand() *cobra.Command {
	var name, mediaType string
	cmd := p.onMemoryID(pickAny, &cobra.Command{
		Use: "add MEMORY FILE…", Short: "Attach files to a memory", Annotations: does(memory.AssetAdd),
		Long: `Attach files to a memory; "-" is standard input and requires --name. Loci detects the
media type from the bytes. Specify --type if the bytes do not tell, for example
text/markdown. Attaching a file twice has no effect.`,
		Example: `  loci asset add 6f1d2c1e-8a52-4c0e-9d7b-2f3a4b5c6d7e diagram.png notes.pdf`,
		PreRunE: func(_ *cobra.Command, args []string) error {
			if name != "" && len(args) > 2 {
				return usagef("--name requires exactly one FILE")
			}
			return nil
		},
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		var made []loci.Asset
		for _, file := range c.args[1:] {
			a, err := p.attach(ctx, c, id, file, memory.Upload{Name: name, MediaType: mediaType})
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
	cmd.Flags().StringVar(&name, "name", "", "name of the file (default: as on this disk)")
	cmd.Flags().StringVar(&mediaType, "type", "", "media type if the bytes do not tell (default: by the extension)")
	return cmd
}

// attach attaches one file. The name and media type in u take precedence.
func (p *program) attach(ctx context.Context, c *call, id loci.MemoryID, file string,
	u memory.Upload) (loci.Asset, error) {
	r, size, err := p.openFile(ctx, file)
	if err != nil {
		return loci.Asset{}, err
	}
	defer r.Close()
	if u.Name == "" {
		if file == "-" {
			return loci.Asset{}, usagef("standard input requires --name")
		}
		u.Name = filepath.Base(file)
		wrong := (&loci.Asset{Name: u.Name, MediaType: "text/plain"}).Validate()
		if why, ok := errors.AsType[*loci.Error](wrong); ok && why.Field == "name" {
			return loci.Asset{}, usagef("cannot attach %q under its own name: the %w; pass --name", file, wrong)
		}
	}
	if u.MediaType == "" {
		u.MediaType = mime.TypeByExtension(filepath.Ext(u.Name))
	}
	var a loci.Asset
	var added bool
	u.Size = size
	err = p.follow(ctx, func(ctx context.Context) (err error) {
		u.Body = io.TeeReader(r, passingBytes(ctx, "attaching", u.Name, size))
		a, added, err = c.app.Memory.AddAsset(ctx, c.who, id, u)
		return err
	})
	if err == nil && !p.json {
		verb := "attached"
		if !added {
			verb = "already attached:"
		}
		p.printf("%s %s %s (%s, %s)\n", verb, a.ID, loci.OneLine(a.Name), a.MediaType, loci.ShowBytes(a.Size))
	}
	return a, err
}

// openFile opens a file, or standard input for "-". size is -1 if unknown.
func (p *program) openFile(ctx context.Context, name string) (r io.ReadCloser, size int64, err error) {
	if name == "-" {
		return untilDone(ctx, p.in), -1, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, usagef("cannot read %s: %w", name, withoutPath(err))
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		_ = f.Close()
		return nil, 0, err
	case info.IsDir():
		_ = f.Close()
		return nil, 0, usagef("cannot read %s: it is a directory; name a file in it", name)
	case !info.Mode().IsRegular():
		return f, -1, nil
	}
	return f, info.Size(), nil
}

func (p *program) assetListCommand() *cobra.Command {
	return p.onMemoryID(pickAny, &cobra.Command{
		Use: "list MEMORY", Short: "List the files of a memory", Annotations: does(memory.AssetRead),
	}, func(ctx context.Context, c *call, id loci.MemoryID) error {
		list, err := c.app.Memory.Assets(ctx, c.who, id)
		return printList(p, "assets", list, err, "no files; attach one with: loci asset add MEMORY FILE",
			"NAME|ID|TYPE|SIZE|ORIGIN|CREATED", func(a loci.Asset) []string {
				return []string{a.Name, a.ID.String(), a.MediaType, loci.ShowBytes(a.Size), a.Origin, p.showTime(a.CreatedAt)}
			})
	})
}

// onAsset completes a command about the file in its first argument.
func (p *program) onAsset(which picks, cmd *cobra.Command,
	do func(context.Context, *call, loci.AssetID) error) *cobra.Command {
	const see = "loci asset list MEMORY"
	find := func(ctx context.Context, c *call, s string) (loci.AssetID, error) {
		id, err := c.app.Memory.ResolveAsset(ctx, c.who, s)
		return id, orNoSuch(err, "file", s, see)
	}
	return onID(p, which, "file", see, find, cmd, func(ctx context.Context, c *call, id loci.AssetID) error {
		return orNoSuch(do(ctx, c, id), "file", id.String(), see)
	})
}

func (p *program) assetGetCommand() *cobra.Command {
	var to string
	var force bool
	cmd := p.onAsset(pickAny, &cobra.Command{
		Use: "get ID", Short: "Write an attached file to standard output, or into a file with -o",
		Annotations: does(memory.AssetRead),
		Long: `Write an attached file to standard output, or into a file or directory with -o. In a
directory it keeps the name that its uploader chose. An existing file stays, unless you
pass --force. A file appears only when it is complete. With --json and without -o,
describe the file instead.`,
	}, func(ctx context.Context, c *call, id loci.AssetID) error {
		if p.json && to == "" {
			a, err := c.app.Memory.Asset(ctx, c.who, id)
			return p.answer(a, err, "")
		}
		return p.download(ctx, c, id, to, force)
	})
	cmd.Flags().StringVarP(&to, "output", "o", "", `file or directory to write to (default: "-", standard output)`)
	forceFlag(cmd, &force)
	return cmd
}

func (p *program) download(ctx context.Context, c *call, id loci.AssetID, to string, force bool) error {
	a, f, err := c.app.Memory.OpenAsset(ctx, c.who, id)
	if err != nil {
		return err
	}
	defer f.Close()
	switch info, err := os.Stat(to); {
	case to == "":
		to = "-"
	case err == nil && info.IsDir():
		to = filepath.Join(to, a.Name)
	}
	if err := mayReplace(to, force); err != nil {
		return err
	}
	err = p.follow(ctx, func(ctx context.Context) error {
		return p.writeTo(to, func(w io.Writer) error {
			sum := sha256.New()
			_, err := io.Copy(io.MultiWriter(w, sum, passingBytes(ctx, "writing", a.Name, a.Size)), f)
			if err == nil && hex.EncodeToString(sum.Sum(nil)) != a.SHA256 {
				err = loci.Errorf(loci.Unavailable, "the file has changed on the disk; run `loci doctor`")
			}
			return err
		})
	})
	if err != nil || to == "-" {
		return err
	}
	return p.answer(map[string]any{"asset": a, "file": to}, nil, "wrote %s (%s)", to, loci.ShowBytes(a.Size))
}

func (p *program) assetDeleteCommand() *cobra.Command {
	return p.onAsset(pickAny|asks, &cobra.Command{
		Use: "delete ID", Short: "Permanently delete an attached file", Annotations: does(memory.AssetDelete),
	}, func(ctx context.Context, c *call, id loci.AssetID) error {
		a, err := c.app.Memory.Asset(ctx, c.who, id)
		if err == nil {
			err = p.sure(ctx, "delete", "file", a.Name)
		}
		if err == nil {
			err = c.app.Memory.DeleteAsset(ctx, c.who, id)
		}
		return p.answer(a, err, "deleted %s %s", a.ID, loci.OneLine(a.Name))
	})
}
