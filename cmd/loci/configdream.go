package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/review"
)

// dreamSettings are when the dream-cycle runs and what it promotes.
type dreamSettings struct {
	Off        bool
	At         time.Duration // since midnight, local time
	Thresholds map[loci.CandidateKind]float64
}

const defaultDream = "03:30"

// dreamKeys are the settings of the dream-cycle: when it runs, and a threshold for each kind that it promotes.
func dreamKeys() []settingKey {
	list := []settingKey{{"dream/at", "LOCI_DREAM_AT", defaultDream, func(s *settings, v value) {
		text := strings.ToLower(v.text())
		s.Dream.Off = text == "off"
		if s.Dream.Off {
			return
		}
		at, err := time.Parse("15:04", text)
		v.check(err == nil, "must be a time of the day such as 03:30, or off")
		s.Dream.At = time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	}}}
	for _, kind := range loci.CandidateKinds() {
		least, ok := review.DefaultThresholds()[kind]
		if !ok {
			continue
		}
		list = append(list, settingKey{"dream/" + string(kind), "LOCI_DREAM_" + strings.ToUpper(string(kind)),
			strconv.FormatFloat(least, 'f', -1, 64), func(s *settings, v value) {
				if s.Dream.Thresholds == nil {
					s.Dream.Thresholds = map[loci.CandidateKind]float64{}
				}
				s.Dream.Thresholds[kind] = v.number(1)
			}})
	}
	return list
}
