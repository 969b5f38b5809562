package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/embed"
	"github.com/loci-memory/loci/internal/embed/hub"
)

func (p *program) modelsCommand() *cobra.Command {
	return group("models", "Pull, use and remove models of embeddings, so that recall finds by meaning",
		`Pull, use and remove models of embeddings. With a model in use, recall also finds memories
that share no word with the question. The model "built-in" is in this program, and in use
until you use another one. A larger one finds more and takes longer:

  loci models pull          # a small English model; or name another one, or a folder
  loci models use all-MiniLM-L6-v2

Such models are in models/ of the data directory. All run in this program: no text leaves
the machine. For a model behind an endpoint, set embed.base_url and embed.model instead.`,
		p.modelsListCommand(), p.modelsPullCommand(), p.modelsUseCommand(), p.modelsOffCommand(), p.modelsRemoveCommand())
}

// ofModels annotates the commands about models.
func ofModels() map[string]string {
	return needsNoAction("files of models, which hold nothing of anybody")
}

func (p *program) modelsListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the models on this machine, and which one is in use",
		Annotations: ofModels(),
		RunE: func(*cobra.Command, []string) error {
			dir := modelsDir(p.settings.DataDir)
			list, err := p.models()
			chosen := p.settings.chosenModel()
			for i := range list {
				list[i].InUse = !p.settings.sendsTexts() && embed.Folder(dir, chosen) == embed.Folder(dir, list[i].Name)
			}
			if err == nil && !p.json {
				p.noteModel(chosen, list)
			}
			return printList(p, "models", list, err, "",
				"NAME|SIZE|DIMENSIONS|STATE|SOURCE", func(m hub.Model) []string {
					state := "complete"
					switch {
					case !m.Complete:
						state = "incomplete; pull it again to go on"
					case m.InUse:
						state = "in use"
					}
					return []string{m.Name, loci.ShowBytes(m.Bytes), strconv.Itoa(m.Dims), state, loci.OneLine(m.Source)}
				})
		},
	}
}

// noteModel says which model is in use if the list does not show it.
func (p *program) noteModel(chosen string, list []hub.Model) {
	for i := range list {
		if list[i].InUse {
			return
		}
	}
	switch {
	case p.settings.sendsTexts():
		p.note("in use: %s at %s", chosen, p.settings.Embed.Endpoint.BaseURL)
	case chosen != embed.Off:
		p.note("in use: %s", chosen)
	default:
		p.note("embeddings are off; use a model with: loci models use %s", list[0].Name)
	}
}

func (p *program) modelsPullCommand() *cobra.Command {
	var o hub.Options
	var use bool
	cmd := &cobra.Command{
		Use: "pull [REPOSITORY|FOLDER]", Short: "Bring a model from a hub or a folder",
		Long: `Bring a model of embeddings from a hub (default ` + hub.DefaultHub + `), or from a folder of
this machine. It has model.safetensors and tokenizer.json, and is static (Model2Vec) or a
transformer of the BERT family (MiniLM, BGE, E5, GTE), which finds more and takes longer.
Without a name, Loci pulls ` + hub.DefaultModel + `. These work:

` + hub.Offers + `

Loci checks the sizes and the SHA-256 that the hub states. After an interruption, the same
command goes on where it stopped.`,
		Example: `  loci models pull
  loci models pull intfloat/multilingual-e5-small --use
  loci models pull ./my-model --name mine`,
		Args:        cobra.MaximumNArgs(1),
		Annotations: ofModels(),
		RunE: func(cmd *cobra.Command, args []string) error {
			source := hub.DefaultModel
			if len(args) > 0 {
				source = args[0]
			}
			return p.pull(cmd.Context(), source, o, use)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Name, "name", "", "name of the model here (default: the last part of the repository or folder)")
	flags.StringVar(&o.Revision, "revision", "", "revision of the repository (default main)")
	flags.StringVar(&o.SHA256, "sha256", "", "SHA-256 that model.safetensors must have")
	flags.BoolVar(&use, "use", false, "use the model afterwards")
	return cmd
}

// isFolder reports whether a source is a folder of this machine, not a repository.
func isFolder(source string) bool {
	if filepath.IsAbs(source) || strings.HasPrefix(source, ".") {
		return true
	}
	info, err := os.Stat(source)
	return err == nil && info.IsDir()
}

func (p *program) pull(ctx context.Context, source string, o hub.Options, use bool) error {
	o.Dir, o.Hub = modelsDir(p.settings.DataDir), p.settings.Hub
	if err := p.settings.unusable(create); err != nil {
		return err
	}
	bring := hub.Copy
	if !isFolder(source) {
		if bring = hub.Pull; !p.settings.Egress {
			return loci.Errorf(loci.Unavailable,
				"cannot pull %s: egress is off; set egress to on, or pull a folder of this machine", quoted(cut(source, 100)))
		}
	}
	name, err := followed(ctx, p, func(ctx context.Context) (string, error) { return bring(ctx, source, o) })
	if err != nil {
		return err
	}
	if use {
		return p.use(name)
	}
	err = p.answer(map[string]any{"name": name}, nil, "pulled %s", name)
	if err == nil && !p.json {
		p.note("to use it, run: loci models use %s", name)
	}
	return err
}

func (p *program) modelsUseCommand() *cobra.Command {
	return &cobra.Command{
		Use: "use NAME|FOLDER", Short: "Use a model, or off for none",
		Long: `Use a model from "loci models list", or in a folder. A running server notices it at once and
makes the vectors of all memories in the background. Until they are complete, recall goes on
with those of the model before. "loci index stats" shows how far they are. With off, recall
finds memories by their words only. The setting embed.model comes before this command.`,
		Args:        cobra.ExactArgs(1),
		Annotations: ofModels(),
		RunE:        func(_ *cobra.Command, args []string) error { return p.use(args[0]) },
	}
}

// use checks a model, and sets it as the one in use.
func (p *program) use(name string) error {
	dir := modelsDir(p.settings.DataDir)
	var err error
	if name != embed.Off {
		name, err = readableModel(dir, name)
	}
	if err == nil {
		err = p.settings.unusable(create)
	}
	if err == nil {
		err = embed.Use(dir, name)
	}
	if set := p.settings.Embed.Model; err == nil && set != "" && set != name {
		p.note("the setting embed.model names another model, %s, which Loci goes on to use", quoted(cut(set, 100)))
	}
	text := "in use: " + name
	if name == embed.Off {
		text = "embeddings are off"
	}
	return p.answer(map[string]any{"in_use": name}, err, "%s", text)
}

// readableModel checks a model by its name or path. It returns the name, or a path that is the same for all processes.
func readableModel(dir, name string) (string, error) {
	folder := embed.Folder(dir, name)
	_, err := os.Stat(folder)
	switch {
	case name == embed.BuiltIn:
	case folder == name: // a path
		folder, _ = filepath.Abs(name)
		name = folder
	case err != nil:
		return "", loci.WrapError(loci.NotFound, err, "there is no model %s; see loci models list, or pull it",
			quoted(cut(name, 100)))
	}
	_, err = embed.Open(folder, embed.Prompts{})
	return name, err
}

func (p *program) modelsOffCommand() *cobra.Command {
	return &cobra.Command{
		Use: "off", Short: "Switch embeddings off",
		Long: `Switch embeddings off. Recall then finds memories by their words only. The models and
the vectors stay. "loci models use built-in" switches embeddings on again.`,
		Args:        cobra.NoArgs,
		Annotations: ofModels(),
		RunE: func(*cobra.Command, []string) error {
			return p.use(embed.Off)
		},
	}
}

func (p *program) modelsRemoveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "remove NAME", Short: "Remove a model from this machine",
		Args:        cobra.ExactArgs(1),
		Annotations: ofModels(),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, name := modelsDir(p.settings.DataDir), args[0]
			if err := hub.CheckName(name); err != nil {
				return err
			}
			for _, used := range []string{p.settings.chosenModel(), embed.InUse(dir)} {
				if embed.Folder(dir, used) == filepath.Join(dir, name) {
					return loci.Errorf(loci.Conflict,
						"cannot remove model %s: it is in use; run loci models off, or use another one", name)
				}
			}
			if err := p.sure(cmd.Context(), "remove", "model", name); err != nil {
				return err
			}
			return p.answer(map[string]any{"removed": name}, hub.Remove(dir, name), "removed %s", name)
		},
	}
	p.yesFlag(cmd)
	return cmd
}

// modelValues are the models on this machine, for the shell.
func (p *program) modelValues(context.Context, *call) ([]proposal, error) {
	list, err := p.models()
	return loci.Mapped(list, func(m hub.Model) proposal { return proposal{m.Name, m.Source} }), err
}
