package language

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

var ahead = sync.OnceValue(func() map[string]int {
	table := map[string]int{}
	for _, line := range Lines("ahead") {
		words := strings.Fields(line)
		days, err := strconv.Atoi(words[0])
		if err != nil {
			panic(err) // the list is part of the program
		}
		for _, w := range words[1:] {
			table[fold(w)] = days
		}
	}
	return table
})

var weekdays = sync.OnceValue(func() map[string]time.Weekday {
	table := map[string]time.Weekday{}
	for i, line := range Lines("weekdays") {
		for w := range strings.FieldsSeq(line) {
			table[fold(w)] = time.Weekday((i + 1) % 7)
		}
	}
	return table
})

// DaysAhead returns how many days after today the day is that a form names: "tomorrow" is 1.
func DaysAhead(form string) (days int, ok bool) {
	days, ok = ahead()[form]
	return days, ok
}

// WeekdayOf returns the day of the week that a form names.
func WeekdayOf(form string) (day time.Weekday, ok bool) {
	day, ok = weekdays()[form]
	return day, ok
}

// UnspacedDays calls yield for each name of a day in languages without spaces: "明日", "金曜".
func UnspacedDays(yield func(name string) bool) {
	for _, list := range [...]string{"ahead", "weekdays"} {
		for _, w := range Words(list) {
			if w[0] >= 0xe0 && !yield(w) {
				return
			}
		}
	}
}
