package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/loci-memory/loci/internal/review"
	"github.com/loci-memory/loci/internal/review/bymodel"
	"github.com/loci-memory/loci/internal/store"
)

// reflectKeys are the settings of the model that reads notes besides the rules. Without reflect.base_url, there is
// none.
func reflectKeys() []settingKey {
	return []settingKey{
		{"reflect/base_url", "LOCI_REFLECT_BASE_URL", "", func(s *settings, v value) { s.Reflect.Chat.BaseURL = v.text() }},
		{"reflect/api_key", "LOCI_REFLECT_API_KEY", "", func(s *settings, v value) { s.Reflect.Chat.APIKey = v.secret() }},
		{"reflect/model", "LOCI_REFLECT_MODEL", "", func(s *settings, v value) { s.Reflect.Chat.Model = v.text() }},
		{"reflect/timeout_seconds", "LOCI_REFLECT_TIMEOUT_SECONDS",
			strconv.Itoa(int(bymodel.DefaultTimeout / time.Second)), func(s *settings, v value) {
				most := bymodel.MaxTimeout.Seconds()
				seconds := v.number(most)
				v.check(seconds > 0, fmt.Sprintf("must be more than 0 and at most %g", most))
				s.Reflect.Chat.Timeout = time.Duration(seconds * float64(time.Second))
			}},
		{"reflect/max_tokens", "LOCI_REFLECT_MAX_TOKENS", strconv.Itoa(bymodel.DefaultMaxTokens),
			func(s *settings, v value) {
				s.Reflect.Chat.MaxTokens = int(v.number(100_000))
				v.check(s.Reflect.Chat.MaxTokens > 0, "must be from 1 to 100000")
			}},
		{"reflect/tokens_per_day", "LOCI_REFLECT_TOKENS_PER_DAY", strconv.Itoa(bymodel.DefaultTokensPerDay),
			func(s *settings, v value) {
				s.Reflect.TokensPerDay = int(v.number(1e12))
				v.check(s.Reflect.TokensPerDay > 0, "must be more than 0; to ask no model, leave reflect.base_url out")
			}},
	}
}

func (s *settings) asksModel() bool { return s.Reflect.Chat.BaseURL != "" && s.Egress }

// extractor returns what reads notes besides the rules, or nil. If egress is off, it is always nil.
func (p *program) extractor(st store.Store) (review.Extractor, error) {
	if !p.settings.asksModel() {
		return nil, nil
	}
	o := p.settings.Reflect
	o.Limits, o.Log = st.Limits(), p.log
	e, err := bymodel.New(o)
	if err != nil {
		return nil, err
	}
	return e, nil
}
