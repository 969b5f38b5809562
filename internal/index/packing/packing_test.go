package packing

import (
	"math"
	"math/rand/v2"
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

// TestCosines compares the cosines of both forms with the exact ones.
func TestCosines(t *testing.T) {
	for _, dims := range []int{1, 3, 64, 100, 256, 384, 1536} {
		list, mean := random(rand.New(rand.NewPCG(1, 2)), 400, dims)
		squares, bias, n := 0.0, 0.0, 0.0
		code := make([]uint64, CodeWords(dims))
		for i := range 20 {
			q := NewQuestion(list[i], mean)
			q.ForCodes()
			for _, v := range list {
				packed := Pack(v)
				Encode(code, packed)
				exact := q.Exact(v)
				if off := math.Abs(q.Packed(packed) - exact); dims > 1 && off > 0.02 {
					t.Fatalf("%d dimensions: the packed cosine is %v off", dims, off)
				}
				off := q.Code(code) - exact
				squares, bias, n = squares+off*off, bias+off, n+1
			}
		}
		if got, most := math.Sqrt(squares/n), 0.55/math.Sqrt(float64(dims)); dims >= 64 && got > most {
			t.Errorf("%d dimensions: codes are %.4f off, want at most %.4f", dims, got, most)
		}
		if got := bias / n; dims >= 64 && math.Abs(got) > 0.003 {
			t.Errorf("%d dimensions: codes are %.4f off on average", dims, got)
		}
		t.Log(dims, math.Sqrt(squares/n)*math.Sqrt(float64(dims)), bias/n)
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
	q.ForCodes()
	for range 2 {
		Encode(code, Pack(zeros)) // also after another vector
		if x, y := q.Packed(Pack(zeros)), q.Code(code); x != 0 || y != 0 {
			t.Errorf("zeros have the cosines %v and %v", x, y)
		}
		if Encode(code, Pack(one)); math.Abs(q.Code(code)-1) > 0.01 {
			t.Errorf("the cosine of a vector with itself is %v", q.Code(code))
		}
	}
}
