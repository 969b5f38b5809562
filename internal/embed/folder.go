package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/loci-memory/loci"
)

// FolderModel is a Model that was read from a folder.
type FolderModel interface {
	Model
	// Dims returns how many dimensions the vectors have.
	Dims() int
}

// These are the files of a model in a folder. Only transformers use the first four, and may lack them.
const (
	modulesFile   = "modules.json"
	poolingFile   = "1_Pooling/config.json"
	sentenceFile  = "sentence_bert_config.json"
	promptsFile   = "config_sentence_transformers.json"
	configFile    = "config.json"
	tokenizerJSON = "tokenizer.json"
	weightsFile   = "model.safetensors"
	// nested is where models of sentence-transformers may have them.
	nested = "0_StaticEmbedding"
)

// Files returns the names of all files of a model, with slashes. The last needed of them must be there; the others
// depend on the model.
func Files() (names []string, needed int) {
	return []string{modulesFile, poolingFile, sentenceFile, promptsFile, configFile, tokenizerJSON, weightsFile}, 2
}

// Prompts come before each text of a Kind, for transformers that were trained with them, such as "query: ".
type Prompts [2]string

// These begin the Name of a model in a folder.
const (
	staticKind      = "static:"
	transformerKind = "transformer:"
)

// Local reports whether a name is that of a model on this machine.
func Local(name string) bool {
	return strings.HasPrefix(name, staticKind) || strings.HasPrefix(name, transformerKind)
}

// folder reads the files of a model.
type folder struct {
	dir    string // as the caller names it
	at     string // where the files are
	hash   hash.Hash
	tokens *tokenizer
	config json.RawMessage // config.json; nil: there is none
	all    map[string]tensor
}

// Open reads a model from a folder: static embeddings or a transformer, as its tensors say. BuiltIn is the folder of
// the built-in model. Prompts replace those that a transformer has; the zero value keeps them. Invalid if a file is
// missing, damaged or of another format; the error names it. NotFound if there is no such folder.
func Open(dir string, prompts Prompts) (FolderModel, error) {
	if dir == BuiltIn {
		return openBuiltIn()
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, loci.WrapError(loci.NotFound, err, "there is no folder %s; pull the model again, or choose the "+
			"folder of another one", dir)
	}
	f := &folder{dir: dir, at: dir, hash: sha256.New()}
	if _, err := os.Stat(filepath.Join(dir, nested, weightsFile)); err == nil {
		f.at = filepath.Join(dir, nested)
	}
	err := f.take(tokenizerJSON, func(file *os.File, _ int64) (err error) {
		f.tokens, err = newTokenizer(file, "")
		return err
	})
	if err == nil {
		err = f.readJSON(configFile, &f.config)
	}
	if err == nil {
		err = f.take(weightsFile, func(file *os.File, size int64) (err error) {
			f.all, err = tensorsIn(size, partsOf(file))
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"embeddings", "embedding.weight"} {
		if table, ok := f.all[name]; ok {
			return f.static(table)
		}
	}
	return f.transformer(prompts)
}

// name returns the Name of the model: its kind, the folder, and a hash of what was read.
func (f *folder) name(kind string) string {
	return kind + loci.Shorten(filepath.Base(f.dir), 100) + "@" + hex.EncodeToString(f.hash.Sum(nil)[:8])
}

// fault says which file is wrong; err is the end of a sentence about it.
func (f *folder) fault(name string, err error) error {
	if err == nil {
		return nil
	}
	return loci.WrapError(loci.Invalid, err, "cannot use the model in %s: %s %s; pull the model again, or choose the "+
		"folder of another one", f.dir, name, err)
}

// take calls fn with a file, whose error is the end of a sentence about it.
func (f *folder) take(name string, fn func(file *os.File, size int64) error) error {
	path := filepath.Join(f.at, name)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.fault(name, loci.WrapError(loci.NotFound, err, "is missing"))
	case err != nil:
		return f.fault(name, fmt.Errorf("cannot be read: %w", errors.Unwrap(err)))
	case !info.Mode().IsRegular():
		return f.fault(name, errors.New("is no file"))
	case info.Size() > min(maxFile, math.MaxInt):
		return f.fault(name, fmt.Errorf("has %s, which is too large", loci.ShowBytes(info.Size())))
	}
	file, err := os.Open(path)
	if err != nil {
		return f.fault(name, fmt.Errorf("cannot be read: %w", errors.Unwrap(err)))
	}
	defer func() { _ = file.Close() }()
	if _, err := io.Copy(f.hash, file); err != nil {
		return f.fault(name, fmt.Errorf("cannot be read: %w", err))
	}
	return f.fault(name, fn(file, info.Size()))
}

// readJSON sets out to what a file holds. If there is no such file, out stays as it is.
func (f *folder) readJSON(name string, out any) error {
	err := f.take(name, func(file *os.File, _ int64) error { return decode(file, out) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// decode reads a file from its start.
func decode(file io.ReadSeeker, out any) error {
	_, err := file.Seek(0, io.SeekStart)
	if err == nil {
		var data []byte
		if data, err = io.ReadAll(file); err == nil {
			err = json.Unmarshal(data, out)
		}
	}
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	return nil
}

// maxFile is how many bytes a file of a model may have. The largest static models have half a gigabyte.
const maxFile = 4 << 30
