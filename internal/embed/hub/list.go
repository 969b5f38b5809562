package hub

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loci-memory/loci"
)

// DefaultModel is pulled if no model is named.
const DefaultModel = "sentence-transformers/all-MiniLM-L6-v2"

// Offers is a table of models that work, for people. R@10 is that of docs/embeddings.md for LoCoMo-Plus.
const Offers = `  MODEL                                    SIZE  LICENCE     LANGUAGES  KIND         R@10
  minishlab/potion-base-8M                31 MB  MIT         English    static       not measured
  sentence-transformers/all-MiniLM-L6-v2  91 MB  Apache-2.0  English    transformer  37.0 (words: 3.7)
  intfloat/multilingual-e5-small         488 MB  MIT         100        transformer  23.0 (with weights of 4 bits)
  minishlab/potion-multilingual-128M     513 MB  MIT         100        static       not measured`

// Model is a model in the folder of all models.
type Model struct {
	Name     string `json:"name"`
	Source   string `json:"source,omitempty"`
	Revision string `json:"revision,omitempty"`
	Dims     int    `json:"dimensions,omitempty"`
	Bytes    int64  `json:"bytes"`
	// Complete is false for one whose download was interrupted, and for one with a file that is missing.
	Complete bool `json:"complete"`
	InUse    bool `json:"in_use"`
}

// List returns the models in a folder, by name.
func List(dir string) (list []Model, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || strings.HasSuffix(e.Name(), oldSuffix) {
			continue
		}
		at := filepath.Join(dir, e.Name())
		manifest := readManifest(at)
		m := Model{Name: strings.TrimSuffix(e.Name(), partSuffix), Source: manifest.Source, Revision: manifest.Revision,
			Dims: manifest.Dims}
		m.Complete = !strings.HasSuffix(e.Name(), partSuffix)
		if _, err := os.Stat(filepath.Join(dir, m.Name)); !m.Complete && err == nil {
			continue // the one before is there until the new one is complete
		}
		for i, file := range wanted {
			info, err := os.Stat(filepath.Join(at, file))
			if err == nil {
				m.Bytes += info.Size()
			} else if i >= len(wanted)-needed {
				m.Complete = false
			}
		}
		list = append(list, m)
	}
	return list, nil
}

// Remove removes a model, also an incomplete one. NotFound if there is none of that name.
func Remove(dir, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	found := false
	for _, suffix := range []string{"", partSuffix, oldSuffix} {
		at := filepath.Join(dir, name+suffix)
		if _, err := os.Stat(at); err == nil {
			found = true
			if err := os.RemoveAll(at); err != nil {
				return err
			}
		}
	}
	if !found {
		return loci.Errorf(loci.NotFound, "there is no model %s; see loci models list", name)
	}
	return nil
}
