package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/loci-memory/loci"
)

// Static is a model that has a vector for each token, and makes that of a text from their mean, as Model2Vec does
// (https://github.com/MinishLab/model2vec). It needs no network and no graphics card.
type Static struct {
	name   string
	tokens *tokenizer
	table  tensor // a vector in each row
	dims   int
	rows   []int32   // which row of the table each token has; nil: its own
	weight []float32 // of each token; nil: 1
	most   int       // tokens of a text; the rest of a longer one is left out
}

// These are the files of a model in a folder.
const (
	configFile    = "config.json"
	tokenizerJSON = "tokenizer.json"
	weightsFile   = "model.safetensors"
	// nested is where models of sentence-transformers may have them.
	nested = "0_StaticEmbedding"
)

// usualTokens is how many tokens of a text a model reads if it does not say.
const usualTokens = 512

// OpenStatic reads a model from a folder. Invalid if a file is missing, damaged or of another format; the error names
// it. NotFound if there is no such folder.
func OpenStatic(dir string) (*Static, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, loci.WrapError(loci.NotFound, err, "there is no folder %s; pull the model again, or choose the "+
			"folder of a Model2Vec model", dir)
	}
	at := dir
	if _, err := os.Stat(filepath.Join(dir, nested, weightsFile)); err == nil {
		at = filepath.Join(dir, nested)
	}
	s, hash := &Static{most: usualTokens}, sha256.New()
	fault := func(name string, err error) error {
		return loci.WrapError(loci.Invalid, err, "cannot use the model in %s: %s %s; pull the model again, or choose the "+
			"folder of a Model2Vec model", dir, name, err)
	}
	for _, file := range []struct {
		name string
		take func(data []byte) error
	}{
		{tokenizerJSON, func(data []byte) (err error) {
			s.tokens, err = newTokenizer(data)
			return err
		}},
		{configFile, s.configure},
		{weightsFile, s.load},
	} {
		data, err := readFile(filepath.Join(at, file.name))
		if errors.Is(err, fs.ErrNotExist) && file.name == configFile {
			continue
		}
		if err == nil {
			_, _ = hash.Write(data)
			err = file.take(data)
		}
		if err != nil {
			return nil, fault(file.name, err)
		}
	}
	s.name = "static:" + loci.Shorten(filepath.Base(dir), 100) + "@" + hex.EncodeToString(hash.Sum(nil)[:8])
	return s, nil
}

// maxFile is how many bytes a file of a model may have. The largest static models have half a gigabyte.
const maxFile = 4 << 30

// readFile reads a file of a model. Its error is the end of a sentence about the file.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notThere{err}
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("is no file")
	case info.Size() > min(maxFile, math.MaxInt):
		return nil, fmt.Errorf("has %s, which is too large", loci.ShowBytes(info.Size()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", errors.Unwrap(err))
	}
	defer func() { _ = f.Close() }()
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return data, nil
}

// notThere is why a file cannot be read that does not exist.
type notThere struct{ cause error }

func (notThere) Error() string { return "is missing" }

func (e notThere) Unwrap() error { return e.cause }

func (s *Static) configure(data []byte) error {
	var c struct {
		Most *int `json:"max_length"`
	}
	err := json.Unmarshal(data, &c)
	if err == nil && c.Most != nil && *c.Most > 0 {
		s.most = *c.Most
	}
	return err
}

// MaxDims is how many dimensions a vector has at most. A search packs no more.
const MaxDims = 4096

// load takes the tensors over.
func (s *Static) load(data []byte) error {
	all, err := tensorsIn(data)
	if err != nil {
		return err
	}
	table, ok := all["embeddings"]
	if !ok {
		table, ok = all["embedding.weight"]
	}
	switch {
	case !ok:
		return errors.New("has no tensor named embeddings, so it is no static model (Loci runs no transformers; an " +
			"endpoint can, see embed.base_url)")
	case len(table.shape) != 2 || table.shape[0] == 0 || table.shape[1] == 0 || table.shape[1] > MaxDims:
		return errors.New("has embeddings of an unusable shape")
	case width(table.dtype) == 0:
		return errors.New("has embeddings of the type " + table.dtype + ", which Loci does not read")
	}
	s.table, s.dims = table, table.shape[1]
	rows, tokens := table.shape[0], int(s.tokens.highest)+1
	fits := func(name string) (t tensor, ok bool, err error) {
		if t, ok = all[name]; !ok {
			return t, false, nil
		}
		if n, _ := t.count(); n < tokens || width(t.dtype) == 0 {
			return t, false, fmt.Errorf("has %s for too few tokens", name)
		}
		return t, true, nil
	}
	mapping, isMapped, err := fits("mapping")
	if err != nil {
		return err
	}
	for i := range tokens {
		if !isMapped {
			break
		}
		row := mapping.at(i)
		if !(row >= 0 && row < float64(rows)) {
			return errors.New("has a mapping to rows that it does not have")
		}
		s.rows = append(s.rows, int32(row))
	}
	if !isMapped && rows < tokens {
		return errors.New("has fewer embeddings than the tokenizer has tokens")
	}
	weights, isWeighted, err := fits("weights")
	for i := 0; isWeighted && i < tokens; i++ {
		s.weight = append(s.weight, float32(weights.at(i)))
	}
	return err
}

// Name implements Model: the name of the folder, and a hash of the files.
func (s *Static) Name() string { return s.name }

// Dims returns how many dimensions the vectors have.
func (s *Static) Dims() int { return s.dims }

// Embed implements Model. It works on several texts at once, and fails only if ctx ends.
func (s *Static) Embed(ctx context.Context, _ Kind, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(texts)) {
		workers.Go(func() {
			for i := range next {
				out[i] = s.embed(texts[i])
			}
		})
	}
	for i := range texts {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return out, ctx.Err()
}

// embed returns the vector of a text. Its length is 1, whatever the model says, because searches compare directions.
func (s *Static) embed(text string) []float32 {
	text = loci.FirstRunes(text, s.most*max(s.tokens.median, 1))
	sum := make([]float32, s.dims)
	for _, id := range s.tokens.encode(text, s.most) {
		row, weight := int(id), float32(1)
		if s.rows != nil {
			row = int(s.rows[id])
		}
		if s.weight != nil {
			weight = s.weight[id]
		}
		s.table.addTo(sum, row, weight)
	}
	return toUnit(sum)
}

// toUnit gives a vector the length 1, unless it is zero. Numbers that are none make it zero.
func toUnit(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		clear(v)
		return v
	}
	length := float32(math.Sqrt(sum))
	for i := range v {
		v[i] /= length
	}
	return v
}

// tensor is a table of numbers as a file of the safetensors format has it
// (https://github.com/huggingface/safetensors#format).
type tensor struct {
	dtype string
	shape []int
	data  []byte
}

// maxHeader is how many bytes the header of such a file has at most. The format allows no more.
const maxHeader = 100 << 20

// tensorsIn returns the tensors of a file by their names. They share its bytes.
func tensorsIn(file []byte) (map[string]tensor, error) {
	if len(file) < 8 {
		return nil, fmt.Errorf("has only %d bytes", len(file))
	}
	size := binary.LittleEndian.Uint64(file)
	if size > maxHeader || size > uint64(len(file)-8) {
		return nil, fmt.Errorf("is truncated or no safetensors file: its header has %d bytes", size)
	}
	var header map[string]struct {
		DType   string    `json:"dtype"`
		Shape   []int     `json:"shape"`
		Offsets [2]uint64 `json:"data_offsets"`
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(file[8:8+size], &raw); err != nil {
		return nil, fmt.Errorf("has a header that cannot be read: %w", err)
	}
	delete(raw, "__metadata__")
	rest, _ := json.Marshal(raw) // it was JSON
	if err := json.Unmarshal(rest, &header); err != nil {
		return nil, fmt.Errorf("has a header that cannot be read: %w", err)
	}
	body, out := file[8+size:], map[string]tensor{}
	for name, h := range header {
		if h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > uint64(len(body)) {
			return nil, fmt.Errorf("is truncated: the tensor %q ends at byte %d of %d", name, h.Offsets[1], len(body))
		}
		t := tensor{h.DType, h.Shape, body[h.Offsets[0]:h.Offsets[1]]}
		if n, ok := t.count(); !ok || width(t.dtype) > 0 && n*width(t.dtype) != len(t.data) {
			return nil, fmt.Errorf("is damaged: the tensor %q has %d bytes for the shape %v", name, len(t.data), t.shape)
		}
		out[name] = t
	}
	return out, nil
}

// count returns how many numbers a tensor has. ok is false if that is absurd.
func (t tensor) count() (n int, ok bool) {
	n = 1
	for _, d := range t.shape {
		if d < 0 || d > math.MaxInt32 || d > 0 && n > math.MaxInt32*8/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// width returns how many bytes a number of a type has, or 0 if Loci does not read the type.
func width(dtype string) int {
	switch dtype {
	case "F64", "I64":
		return 8
	case "F32", "I32":
		return 4
	case "F16", "BF16":
		return 2
	case "I8":
		return 1
	}
	return 0
}

func (t tensor) at(i int) float64 {
	d := t.data[i*width(t.dtype):]
	switch t.dtype {
	case "F64":
		return math.Float64frombits(binary.LittleEndian.Uint64(d))
	case "F32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(d)))
	case "F16":
		return float64(half(binary.LittleEndian.Uint16(d)))
	case "BF16":
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(d)) << 16))
	case "I64":
		return float64(int64(binary.LittleEndian.Uint64(d)))
	case "I32":
		return float64(int32(binary.LittleEndian.Uint32(d)))
	}
	return float64(int8(d[0]))
}

// addTo adds a row of a table to a vector. The types that models have go fast.
func (t tensor) addTo(sum []float32, row int, weight float32) {
	size := len(sum) * width(t.dtype)
	d := t.data[row*size : (row+1)*size]
	switch t.dtype {
	case "F32":
		for i := range sum {
			sum[i] += weight * math.Float32frombits(binary.LittleEndian.Uint32(d[4*i:]))
		}
	case "F16":
		for i := range sum {
			sum[i] += weight * half(binary.LittleEndian.Uint16(d[2*i:]))
		}
	case "I8":
		for i := range sum {
			sum[i] += weight * float32(int8(d[i]))
		}
	default:
		for i := range sum {
			sum[i] += weight * float32(t.at(row*len(sum)+i))
		}
	}
}

// half returns a number of 16 bits (IEEE 754 binary16).
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0:
		f := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 31:
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
