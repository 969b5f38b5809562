package embed

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// tensor is a table of numbers as a file of the safetensors format has it
// (https://github.com/huggingface/safetensors#format).
type tensor struct {
	dtype string
	shape []int
	data  []byte
}

// maxHeader is how many bytes the header of such a file has at most. The format allows no more.
const maxHeader = 100 << 20

// partsOf reads parts of a file. Each has a separate buffer, so that the memory of a tensor that is converted can be
// freed.
func partsOf(file io.ReaderAt) func(from, to uint64) ([]byte, error) {
	return func(from, to uint64) ([]byte, error) {
		data := make([]byte, to-from)
		if _, err := file.ReadAt(data, int64(from)); err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
		return data, nil
	}
}

// tensorsIn returns the tensors of a file of this size by their names.
func tensorsIn(size int64, read func(from, to uint64) ([]byte, error)) (map[string]tensor, error) {
	if size < 8 {
		return nil, fmt.Errorf("has only %d bytes", size)
	}
	start, err := read(0, 8)
	if err != nil {
		return nil, err
	}
	end := 8 + binary.LittleEndian.Uint64(start) // of the header
	if end > maxHeader || end > uint64(size) || end < 8 {
		return nil, fmt.Errorf("is truncated or no safetensors file: its header has %d bytes", end-8)
	}
	text, err := read(8, end)
	var header map[string]struct {
		DType   string    `json:"dtype"`
		Shape   []int     `json:"shape"`
		Offsets [2]uint64 `json:"data_offsets"`
	}
	if err == nil {
		err = json.Unmarshal(text, &header) // __metadata__ has none of these fields
	}
	if err != nil {
		return nil, fmt.Errorf("has a header that cannot be read: %w", err)
	}
	delete(header, "__metadata__")
	body, out := uint64(size)-end, map[string]tensor{}
	for name, h := range header {
		if h.Offsets[0] > h.Offsets[1] || h.Offsets[1] > uint64(size)-end {
			return nil, fmt.Errorf("is truncated: the tensor %q ends at byte %d of %d", name, h.Offsets[1],
				uint64(size)-end)
		}
		t := tensor{dtype: h.DType, shape: h.Shape}
		n, ok := t.count()
		bytes := h.Offsets[1] - h.Offsets[0]
		if !ok || width(t.dtype) > 0 && uint64(n*width(t.dtype)) != bytes || bytes > body {
			return nil, fmt.Errorf("is damaged: the tensor %q has %d bytes for the shape %v", name, bytes, t.shape)
		}
		body -= bytes // the tensors do not overlap
		if t.data, err = read(end+h.Offsets[0], end+h.Offsets[1]); err != nil {
			return nil, err
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
