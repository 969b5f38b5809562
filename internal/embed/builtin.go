package embed

import (
	"crypto/sha256"
	_ "embed" // for the files of the model
	"io"
	"strings"
	"unsafe"
)

// BuiltIn is the model in this program, which is in use unless another one is chosen. Its tokens are in the order of
// their bytes, so that the program has no table of them to make. Nothing of the model is in memory before it is used,
// and then only what is read.
const BuiltIn = "built-in"

// BuiltInBytes is how large the built-in model is.
var BuiltInBytes = int64(len(builtInTensors) + len(builtInTokens) + len(builtInRules))

var (
	//go:embed builtin/model.safetensors
	builtInTensors string
	//go:embed builtin/vocabulary.txt
	builtInTokens string
	//go:embed builtin/tokenizer.json
	builtInRules string
)

// builtInHeader is of how many bytes the built-in model has its name. They have the SHA-256 of everything else.
const builtInHeader = 256

func openBuiltIn() (_ FolderModel, err error) {
	f := &folder{dir: BuiltIn, hash: sha256.New()}
	_, _ = io.WriteString(f.hash, builtInTensors[:builtInHeader])
	all := unsafe.Slice(unsafe.StringData(builtInTensors), len(builtInTensors)) // nothing writes to it
	f.all, err = tensorsIn(int64(len(all)), func(from, to uint64) ([]byte, error) { return all[from:to], nil })
	if err == nil {
		f.tokens, err = newTokenizer(strings.NewReader(builtInRules), builtInTokens)
	}
	if err != nil {
		return nil, err // no test has passed with such files
	}
	return f.static(f.all["embeddings"])
}
