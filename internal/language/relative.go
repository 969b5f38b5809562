package language

import (
	"strconv"
	"strings"
	"sync"
)

// Unit is a unit of time.
type Unit int

// The units.
const (
	NoUnit Unit = iota
	Day
	Week
	Month
	Year
)

// Relative is what a word says about a time relative to now.
type Relative struct {
	Unit   Unit
	Offset int  // in units; -1: the one before
	Whole  bool // Unit and Offset say all: "yesterday"
	Last   bool // it puts the unit or month beside it into the past
	Ago    bool // it puts the number of units before it into the past
}

var relatives = sync.OnceValue(func() map[string]Relative {
	units := map[string]Unit{"day": Day, "week": Week, "month": Month, "year": Year}
	table := map[string]Relative{}
	for _, line := range Lines("relative") {
		words := strings.Fields(line)
		offset, err := strconv.Atoi(words[1])
		if err != nil {
			panic(err) // the list is part of the program
		}
		name, isUnit := strings.CutPrefix(words[0], "unit-")
		r := Relative{Unit: units[name], Offset: offset, Whole: units[name] != NoUnit && !isUnit, Last: name == "last",
			Ago: name == "ago"}
		for _, w := range words[2:] {
			table[fold(w)] = r
		}
	}
	return table
})

// RelativeTime returns what a form says about a time relative to now.
func RelativeTime(form string) Relative { return relatives()[form] }
