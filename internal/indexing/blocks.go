package indexing

import (
	"hash/fnv"
)

// A long session is cut into blocks, whose rows are each other's context, so that a change of it concerns few rows.
// Each visibility class is cut by itself, so hidden rows do not count. Where a block ends depends on the rows alone,
// not on when or with which others they came: an index that grew is the same as one that is built at once.

// These are how many rows of a session and a class a block has at least.
const (
	memoryBlock = 192
	eventBlock  = 48
)

// cut cuts the rows of a session and a class, which are in order, into blocks. A block has as many rows as least says,
// and those after it up to one whose id may begin a block, which about 4 / least of the ids may. So if a row comes or
// goes, few blocks after it change: later ones begin at the same rows as before.
func cut[T any](list []T, least int, id func(T) rowID) (blocks [][]T) {
	begin := 0
	for i := range list {
		if i-begin >= least && begins(id(list[i]), least) {
			blocks, begin = append(blocks, list[begin:i:i]), i
		}
	}
	if begin < len(list) {
		blocks = append(blocks, list[begin:])
	}
	return blocks
}

func begins(id rowID, least int) bool {
	h := fnv.New32a()
	_, _ = h.Write(id[:]) // a hash never fails
	return h.Sum32()%uint32(max(least/4, 1)) == 0
}
