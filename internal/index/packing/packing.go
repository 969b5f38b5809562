// Package packing compares vectors with a question in the two forms that searches by meaning read: one byte for each
// dimension, and a code of one bit. It knows no rows.
//
// One invariant: a form depends on its vector and nothing else. So a vector that a reader may not see changes no other
// one.
package packing

import (
	"math"
	"math/bits"
)

// Vector is a vector of the length 1 with one byte for each dimension, and what these are multiplied by.
type Vector struct {
	Values []int8
	Scale  float32
}

// Pack packs a vector. A vector of zeros has the scale 0.
func Pack(vector []float32) Vector {
	most := float32(0)
	for _, x := range vector {
		most = max(most, x, -x)
	}
	p := Vector{Values: make([]int8, len(vector)), Scale: most / math.MaxInt8}
	if p.Scale == 0 {
		return p
	}
	for i, x := range vector {
		p.Values[i] = int8(math.Round(float64(x / p.Scale)))
	}
	return p
}

// Question compares vectors by what they have beyond a mean.
type Question struct {
	mean, query    []float64 // query is without the mean, of the length 1
	queryTimesMean float64
	meanNorm       float64
	// both are query and mean as whole numbers in one, so that one multiplication serves both.
	both                  []int64
	queryScale, meanScale float64
	// signs are the code of query, and large has a bit for each dimension that counts three times, because query says
	// much in it.
	signs, large []uint64
	Most         int // what Code returns for a vector that differs in all dimensions
}

// wholeSteps is how many steps a dimension of Question.both has on each side.
const wholeSteps = 1 << 12

// NewQuestion returns a Question for vectors of the length 1. It returns nil if the query is the mean. If the query has
// fewer dimensions, it is the end of a vector. The others then count as those of the mean, so they say nothing.
func NewQuestion(query []float32, mean []float64) *Question {
	q := &Question{mean: mean, query: make([]float64, len(mean)), both: make([]int64, len(mean))}
	from, known := len(mean)-len(query), 0.0
	for i, x := range query {
		q.query[from+i] = float64(x) - mean[from+i]
		known += float64(x) * float64(x)
	}
	length := math.Sqrt(dot(q.query, q.query))
	if from > 0 { // vectors, too, have only a part of their length in the known dimensions
		length *= math.Sqrt((known - dot(mean[from:], mean[from:])) / (1 - dot(mean, mean)))
	}
	if !(length > 0) {
		return nil
	}
	for i := range q.query {
		q.query[i] /= length
	}
	q.queryTimesMean, q.meanNorm = dot(q.query, q.mean), dot(q.mean, q.mean)
	q.queryScale, q.meanScale = scale(q.query), scale(q.mean)
	for i := range q.both {
		q.both[i] = int64(math.Round(q.query[i]/q.queryScale)) + int64(math.Round(q.mean[i]/q.meanScale))<<32
	}
	q.forCodes()
	return q
}

// forCodes prepares a Question for Code.
func (q *Question) forCodes() {
	query, words := turned(q.query), CodeWords(len(q.query))
	q.signs, q.large = make([]uint64, words), make([]uint64, words)
	limit := float32(1 / math.Sqrt(float64(len(query)))) // a standard deviation
	for i, x := range query {
		q.signs[i/64] |= uint64(math.Float32bits(x)>>31) << (i % 64)
		if q.Most++; max(x, -x) > limit {
			q.large[i/64] |= 1 << (i % 64)
			q.Most += 2
		}
	}
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func scale(list []float64) float64 {
	most := math.SmallestNonzeroFloat64
	for _, x := range list {
		most = max(most, math.Abs(x))
	}
	return most / wholeSteps
}

// Packed returns the cosine of a packed vector. A vector of zeros has the cosine 0.
func (q *Question) Packed(v Vector) float64 {
	if v.Scale == 0 {
		return 0
	}
	byQuery, byMean := multiply(v.Values, q.both)
	scale := float64(v.Scale)
	return q.cosine(float64(byQuery)*scale*q.queryScale, float64(byMean)*scale*q.meanScale)
}

// cosine returns the cosine of a vector without the mean, from its products with the question and with the mean.
func (q *Question) cosine(byQuery, byMean float64) float64 {
	norm := 1 - 2*byMean + q.meanNorm
	if norm <= 1e-6 {
		return 0
	}
	return (byQuery - q.queryTimesMean) / math.Sqrt(norm)
}

// multiply returns the products of a packed vector with the lower and the upper halves of both. Each must fit into 32
// bits: 4,096 dimensions of 127 * wholeSteps do.
func multiply(values []int8, both []int64) (lower, upper int32) {
	var a, b, c, d int64
	both = both[:len(values)]
	for len(values) >= 8 && len(both) >= 8 {
		x, y := (*[8]int8)(values), (*[8]int64)(both)
		a += int64(x[0])*y[0] + int64(x[4])*y[4]
		b += int64(x[1])*y[1] + int64(x[5])*y[5]
		c += int64(x[2])*y[2] + int64(x[6])*y[6]
		d += int64(x[3])*y[3] + int64(x[7])*y[7]
		values, both = values[8:], both[8:]
	}
	for i, x := range values {
		a += int64(x) * both[i]
	}
	sum := a + b + c + d
	lower = int32(sum)
	return lower, int32((sum - int64(lower)) >> 32)
}

// A code has a bit for each dimension of a vector that was turned: its sign. Turned, each dimension has as much to say
// as the others.

// CodeWords returns how many words a code of so many dimensions has.
func CodeWords(dims int) int { return (dims + 63) / 64 }

// Encode sets the code of a packed vector.
func Encode(code []uint64, v Vector) {
	clear(code)
	for i, x := range turned(v.Values) {
		code[i/64] |= uint64(math.Float32bits(x)>>31) << (i % 64)
	}
}

// turned returns a vector turned. All vectors are turned in the same way, which changes no product.
func turned[T int8 | float64](vector []T) []float32 {
	v, n := make([]float32, len(vector)), 1<<(bits.Len(uint(len(vector)))-1)
	for i, x := range vector {
		v[i] = float32(x)
	}
	scale, spare := float32(1/math.Sqrt(float64(n))), make([]float32, n)
	for _, part := range [][]float32{v[:n], v[len(v)-n:]} {
		for i := range part {
			minus := uint32(bits.OnesCount32(uint32(i+1)*0x9e3779b9>>7)) << 31
			part[i] = math.Float32frombits(math.Float32bits(part[i]*scale) ^ minus)
		}
		for h := 1; h < n; h *= 2 { // a Hadamard transform
			copy(spare, part)
			for i, x := range spare[:n/2] {
				y := spare[n/2+i]
				part[2*i], part[2*i+1] = x+y, x-y
			}
		}
	}
	return v
}

// Code returns by how much the vector of a code differs from the question, at most q.Most. The numbers have the order
// of the cosines, roughly, but say nothing of the length of a vector without the mean, which is not in a code.
func (q *Question) Code(code []uint64) int {
	signs, large := q.signs[:len(code)], q.large[:len(code)]
	differ, much := 0, 0
	for i, x := range code {
		x ^= signs[i]
		differ += bits.OnesCount64(x)
		much += bits.OnesCount64(x & large[i])
	}
	return differ + 2*much
}
