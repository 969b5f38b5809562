package packing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMultiplyBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, dims := range []int{1, 7, 8, 384, 1021, 4096} {
		values, both, low, high := make([]int8, dims), make([]int64, dims), int64(0), int64(0)
		for i := range values {
			x, y, z := int64(r.IntN(255)-127), int64(r.IntN(2*wholeSteps+1)-wholeSteps), int64(r.IntN(2*wholeSteps+1)-wholeSteps)
			values[i], both[i] = int8(x), y+z<<32
			low, high = low+x*y, high+x*z
		}
		if a, b := multiply(values, both); int64(a) != low || int64(b) != high {
			t.Errorf("%d dimensions: got %d and %d, want %d and %d", dims, a, b, low, high)
		}
	}
}

// random returns vectors of the length 1, which have something in common, and a few of whose dimensions are large.
func random(r *rand.Rand, n, dims int) (list [][]float32, mean []float64) {
	mean = make([]float64, dims)
	for range n {
		v, norm := make([]float32, dims), 0.0
		for i := range v {
			x := r.NormFloat64() * (1 + 5/float64(i+1))
			v[i] = float32(x + 0.5*math.Sin(float64(i)))
			norm += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(norm))
			mean[i] += float64(v[i]) / float64(n)
		}
		list = append(list, v)
	}
	return list, mean
}

// cosine returns the cosine of two vectors without the mean.
func cosine(x, y []float32, mean []float64) float64 {
	xy, xx, yy := 0.0, 0.0, 0.0
	for i, m := range mean {
		a, b := float64(x[i])-m, float64(y[i])-m
		xy, xx, yy = xy+a*b, xx+a*a, yy+b*b
	}
	return xy / math.Sqrt(xx*yy)
}

// TestCosines compares the cosines of packed vectors with the exact ones, and finds the best tenth of all by their
// codes.
func TestCosines(t *testing.T) {
	for _, dims := range []int{1, 3, 64, 100, 256, 384, 1536} {
		list, mean := random(rand.New(rand.NewPCG(1, 2)), 400, dims)
		found, all := 0, 0
		code := make([]uint64, CodeWords(dims))
		for i := range 20 {
			q := NewQuestion(list[i], mean)
			exact, codes := make([]float64, len(list)), make([]float64, len(list))
			for j, v := range list {
				packed := Pack(v)
				Encode(code, packed)
				exact[j], codes[j] = cosine(list[i], v, mean), -float64(q.Code(code))
				if off := math.Abs(q.Packed(packed) - exact[j]); dims > 1 && off > 0.02 {
					t.Fatalf("%d dimensions: the packed cosine is %v off", dims, off)
				}
			}
			best, likely := slices.Sorted(slices.Values(exact))[360], slices.Sorted(slices.Values(codes))[300]
			for j := range list {
				if exact[j] >= best {
					if all++; codes[j] >= likely {
						found++
					}
				}
			}
		}
		if part := float64(found) / float64(all); dims >= 64 && part < 0.85 {
			t.Errorf("%d dimensions: only %.2f of the best tenth are in the best quarter by their codes", dims, part)
		}
	}
}

// TestZeros has vectors, codes and questions that say nothing.
func TestZeros(t *testing.T) {
	zeros, code := make([]float32, 70), make([]uint64, CodeWords(70))
	if NewQuestion(zeros, make([]float64, 70)) != nil {
		t.Error("a question of zeros is no question")
	}
	one := make([]float32, 70)
	one[3] = 1
	q := NewQuestion(one, make([]float64, 70))
	for range 2 {
		Encode(code, Pack(zeros)) // also after another vector
		if x := q.Packed(Pack(zeros)); x != 0 {
			t.Errorf("zeros have the cosine %v", x)
		}
		if Encode(code, Pack(one)); q.Code(code) != 0 {
			t.Errorf("a vector differs by %v from itself", q.Code(code))
		}
	}
}

// TestEndsOfQuestions compares vectors with the end of a question: the cosines are about those of the ends alone.
func TestEndsOfQuestions(t *testing.T) {
	const dims, from = 96, 64
	random := rand.New(rand.NewPCG(1, 2))
	var list, ends [][]float32
	mean, meanOfEnds := make([]float64, dims), make([]float64, dims-from)
	for range 100 {
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(random.NormFloat64() + 1)
		}
		unit(v[:from], 0.7)
		end := slices.Clone(v[from:])
		unit(end, 1)
		unit(v[from:], 0.3)
		for i, x := range v {
			mean[i] += float64(x) / 120
		}
		for i, x := range end {
			meanOfEnds[i] += float64(x) / 120
		}
		list, ends = append(list, v), append(ends, end)
	}
	part, alone := NewQuestion(list[0][from:], mean), NewQuestion(ends[0], meanOfEnds)
	for i := range list {
		got, want := part.Packed(Pack(list[i])), alone.Packed(Pack(ends[i]))
		if math.Abs(got-want) > 0.15*math.Abs(want)+0.02 {
			t.Errorf("vector %d: the cosine is %f, that of the ends alone %f", i, got, want)
		}
	}
}

// unit gives a vector a part of the length 1.
func unit(v []float32, share float64) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	for i := range v {
		v[i] *= float32(math.Sqrt(share / sum))
	}
}
