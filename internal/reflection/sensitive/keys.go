package sensitive

import "strings"

// class is a set of ASCII characters.
type class [256]bool

func classOf(more string, letters ...string) *class {
	var c class
	for _, l := range letters {
		for b := l[0]; b <= l[1]; b++ {
			c[b] = true
		}
	}
	for i := range len(more) {
		c[more[i]] = true
	}
	return &c
}

var (
	digits    = classOf("", "09")
	hex       = classOf("", "09", "af", "AF")
	capitals  = classOf("", "09", "AZ")
	alnum     = classOf("", "09", "AZ", "az")
	wordChars = classOf("_-", "09", "AZ", "az")
	dotted    = classOf("_-.", "09", "AZ", "az")
	base64    = classOf("+/=_-", "09", "AZ", "az")
	hyphens   = classOf("-")
	// betweenLines are between two lines of a key.
	betweenLines = classOf(" \t\r\n\\>")
	urlChars     = classOf("-._~:/?#[]@!$&'()*+,;=%{}|^", "09", "AZ", "az")
)

// run returns where a run of characters of a class ends that begins at a place.
func run(text string, at int, of *class) int {
	for at < len(text) && of[text[at]] {
		at++
	}
	return at
}

// runBack returns where a run of characters of a class begins that ends at a place. It looks at one more than most.
func runBack(text string, at, most int, of *class) int {
	start := at
	for start > 0 && at-start <= most && of[text[start-1]] {
		start--
	}
	return start
}

// vendorKey is the format that a vendor gives its keys: a beginning, and how many of which characters follow.
type vendorKey struct {
	prefix   string
	of       *class
	min, max int // max 0: no limit
	typ      Type
}

// vendors tell a key from a token as each vendor does. They have the longer of two beginnings first. The minimum is
// below what the vendors use: a key that was cut off when it was copied is still a key.
var vendors = []vendorKey{
	{"AKIA", capitals, 12, 24, APIKey}, {"ASIA", capitals, 12, 24, APIKey}, {"ABIA", capitals, 12, 24, APIKey},
	{"LTAI", alnum, 12, 30, APIKey}, {"AKID", alnum, 24, 40, APIKey},
	{"sk_live_", alnum, 10, 0, APIKey}, {"sk_test_", alnum, 10, 0, APIKey}, {"rk_live_", alnum, 10, 0, APIKey},
	{"rk_test_", alnum, 10, 0, APIKey}, {"whsec_", base64, 16, 0, APIKey}, {"sk-", wordChars, 16, 0, APIKey},
	{"sk_", alnum, 20, 0, APIKey}, {"pat", dotted, 60, 0, Token}, {"vercel_", alnum, 20, 0, Token},
	{"nfp_", alnum, 20, 0, Token}, {"re_", wordChars, 20, 0, APIKey}, {"ops_", base64, 60, 0, APIKey},
	{"CFPAT-", wordChars, 20, 0, Token}, {"rnd_", alnum, 20, 0, APIKey}, {"FLWSECK", wordChars, 20, 0, APIKey},
	{"lsv2_", wordChars, 20, 0, APIKey}, {"jina_", wordChars, 20, 0, APIKey}, {"pscale_tkn_", wordChars, 16, 0, Token},
	{"tskey-", wordChars, 16, 0, APIKey}, {"xkeysib-", wordChars, 20, 0, APIKey}, {"glffct-", wordChars, 12, 0, Token},
	{"hapikey-", wordChars, 20, 0, APIKey}, {"dp.st.", dotted, 16, 0, Token}, {"dp.pt.", dotted, 16, 0, Token},
	{"duffel_", wordChars, 20, 0, APIKey}, {"fly_", wordChars, 20, 0, Token}, {"FlyV1 fm", base64, 30, 0, Token},
	{"AIza", wordChars, 25, 45, APIKey}, {"GOCSPX-", wordChars, 16, 0, APIKey}, {"ya29.", wordChars, 20, 0, Token},
	{"ghp_", alnum, 16, 0, Token}, {"gho_", alnum, 16, 0, Token}, {"ghu_", alnum, 16, 0, Token},
	{"ghs_", alnum, 16, 0, Token}, {"ghr_", alnum, 16, 0, Token}, {"github_pat_", wordChars, 20, 0, Token},
	{"glpat-", wordChars, 12, 0, Token}, {"gldt-", wordChars, 12, 0, Token}, {"glrt-", wordChars, 12, 0, Token},
	{"glptt-", wordChars, 12, 0, Token}, {"xoxb-", wordChars, 10, 0, Token}, {"xoxp-", wordChars, 10, 0, Token},
	{"xoxa-", wordChars, 10, 0, Token}, {"xoxr-", wordChars, 10, 0, Token}, {"xoxs-", wordChars, 10, 0, Token},
	{"xoxe-", wordChars, 10, 0, Token}, {"xoxe.", dotted, 20, 0, Token}, {"xapp-", wordChars, 10, 0, Token},
	{"SG.", dotted, 20, 0, APIKey}, {"SK", hex, 32, 32, APIKey}, {"key-", hex, 32, 32, APIKey},
	{"npm_", alnum, 20, 0, Token}, {"pypi-", wordChars, 20, 0, Token}, {"rubygems_", hex, 20, 0, APIKey},
	{"hf_", alnum, 16, 0, Token}, {"r8_", alnum, 20, 0, Token}, {"gsk_", alnum, 20, 0, APIKey},
	{"xai-", alnum, 20, 0, APIKey}, {"pplx-", alnum, 20, 0, APIKey}, {"nvapi-", wordChars, 20, 0, APIKey},
	{"tvly-", wordChars, 16, 0, APIKey}, {"dop_v1_", hex, 20, 0, Token}, {"doo_v1_", hex, 20, 0, Token},
	{"dor_v1_", hex, 20, 0, Token}, {"shpat_", hex, 16, 0, Token}, {"shpca_", hex, 16, 0, Token},
	{"shpss_", hex, 16, 0, APIKey}, {"sq0atp-", wordChars, 16, 0, Token}, {"sq0csp-", wordChars, 16, 0, APIKey},
	{"dapi", hex, 32, 36, Token}, {"hvs.", wordChars, 16, 0, Token}, {"hvb.", wordChars, 16, 0, Token},
	{"figd_", wordChars, 16, 0, Token}, {"lin_api_", alnum, 16, 0, APIKey}, {"ntn_", alnum, 20, 0, APIKey},
	{"secret_", alnum, 30, 0, APIKey}, {"PMAK-", wordChars, 20, 0, APIKey}, {"sbp_", alnum, 20, 0, Token},
	{"sntrys_", base64, 20, 0, Token}, {"sntryu_", alnum, 20, 0, Token}, {"glsa_", wordChars, 20, 0, Token},
	{"glc_", base64, 20, 0, APIKey}, {"phx_", alnum, 20, 0, APIKey}, {"dckr_pat_", wordChars, 16, 0, Token},
	{"ATATT3", base64, 20, 0, Token}, {"pat-na1-", wordChars, 20, 0, Token}, {"pat-eu1-", wordChars, 20, 0, Token},
	{"EAAA", wordChars, 40, 0, Token}, {"NRAK-", alnum, 16, 0, APIKey}, {"tfp_", alnum, 20, 0, Token},
	{"loci_", wordChars, 16, 0, APIKey}, {"mtk_", alnum, 16, 0, APIKey},
	{"AGE-SECRET-KEY-1", capitals, 20, 0, PrivateKey}, {"AGE-SECRET-KEY-PQ-1", capitals, 20, 0, PrivateKey},
	{"b3BlbnNzaC1rZXktdjE", base64, 20, 0, PrivateKey}, {"MIIEvQIBADAN", base64, 20, 0, PrivateKey},
	{"MIIEpAIBAA", base64, 20, 0, PrivateKey}, {"MIIEowIBAA", base64, 20, 0, PrivateKey},
	{"MC4CAQAwBQYDK2Vw", base64, 20, 0, PrivateKey},
}

// lociKinds are what follows "loci_" in one of our own credentials.
var lociKinds = []string{"live_", "agent_", "session_", "access_", "refresh_", "code_", "link_", "invite_"}

// vendorKeys finds keys by the formats of vendors.
func (s *scan) vendorKeys() {
	for i := range vendors {
		v := &vendors[i]
		s.each(s.text, v.prefix, func(at int) int {
			from := at + len(v.prefix)
			end := run(s.text, from, v.of)
			for v.of == dotted && end > from && s.text[end-1] == '.' {
				end--
			}
			if n := end - from; n < v.min || v.max > 0 && n > v.max || at > 0 && wordChars[s.text[at-1]] {
				return end
			}
			if v.max > 0 && end < len(s.text) && alnum[s.text[end]] || !keyLike(s.text[from:end], v) {
				return end
			}
			s.add(v.typ, at, end)
			if v.prefix == "AKIA" || v.prefix == "ASIA" {
				s.secretBeside(end)
			}
			return end
		})
	}
}

// keyLike reports whether the rest of a key is no placeholder, and no name of a function or a file.
func keyLike(rest string, v *vendorKey) bool {
	if isFiller(rest) && !(len(rest) >= leastHex && mixed(rest) && isAlphabet(rest)) {
		return false
	}
	switch v.prefix {
	case "hf_", "mtk_":
		return mixed(rest) || kindsOf(rest).inner > 3
	case "loci_":
		for _, kind := range lociKinds {
			if after, ok := strings.CutPrefix(rest, kind); ok {
				return mixed(after)
			}
		}
		return false
	case "SG.":
		return strings.Contains(rest, ".") && mixed(rest)
	case "pat":
		return strings.Count(rest, ".") == 2 && mixed(rest)
	case "re_", "fly_", "jina_", "lsv2_", "duffel_", "tskey-":
		return mixed(rest) && !isWordy(rest)
	case "sk-", "sk_", "nfp_", "vercel_", "rnd_", "ops_", "xai-", "gsk_", "npm_", "key-", "pypi-",
		"nvapi-", "sntrys_", "ntn_", "sbp_", "tfp_", "secret_":
		return mixed(rest)
	}
	return true
}

// mixed reports whether a text has letters and digits.
func mixed(text string) bool {
	letter, digit := false, false
	for i := range len(text) {
		if digits[text[i]] {
			digit = true
		} else if alnum[text[i]] {
			letter = true
		}
	}
	return letter && digit
}

// Of an AWS secret key: how long it is, and how far from the id of the key it is looked for.
const (
	secretKeyLength = 40
	secretKeyNear   = 160
)

// secretBeside finds the secret key that stands near the id of a key, which has no mark of its own.
func (s *scan) secretBeside(at int) {
	limit := min(len(s.text), at+secretKeyNear)
	for i := at; i < limit; i++ {
		if !base64[s.text[i]] || s.text[i] == '=' || s.text[i] == '-' {
			continue
		}
		end := run(s.text, i, base64)
		if n := end - i; n == secretKeyLength && spread(s.text[i:end]) && !isHex(s.text[i:end]) {
			s.add(APIKey, i, end)
			return
		}
		i = end
	}
}

// each calls fn at the places of a literal in a text. fn returns where to go on at the earliest.
func (s *scan) each(text, literal string, fn func(at int) int) {
	for from := 0; from < len(text); {
		i := strings.Index(text[from:], literal)
		if i < 0 {
			return
		}
		at := from + i
		from = max(at+len(literal), fn(at))
	}
}

const (
	pemBegin   = "-----BEGIN "
	puttyBegin = "PuTTY-User-Key-File-"
	maxPEM     = 20_000
)

// pem finds private keys in their armour, also if the end is missing.
func (s *scan) pem() {
	s.each(s.text, pemBegin, func(at int) int {
		from := at + len(pemBegin)
		line, _, _ := strings.Cut(s.text[from:min(len(s.text), from+60)], "-----")
		if !strings.Contains(line, "PRIVATE KEY") || strings.Contains(line, "\n") {
			return from
		}
		body := from + len(line)
		window, _, _ := strings.Cut(s.text[body:min(len(s.text), body+maxPEM)], pemBegin)
		var end int
		if i := strings.Index(window, "-----END "+line); i >= 0 {
			end = body + i + len("-----END "+line)
		} else {
			end = s.keyLines(body)
		}
		end = s.pastHyphens(end)
		s.add(PrivateKey, at, end)
		return end
	})
	s.each(s.text, puttyBegin, func(at int) int {
		end := min(len(s.text), at+maxPEM)
		if i := strings.Index(s.text[at+1:end], puttyBegin); i >= 0 {
			end = at + 1 + i
		}
		if i := strings.Index(s.text[at:end], "Private-MAC:"); i >= 0 {
			end = at + i
			end = run(s.text, end, classOf(": -", "09", "az", "AZ"))
			s.add(PrivateKey, at, end)
			return end
		}
		return at + 1
	})
}

// pastHyphens leaves out the five hyphens at the end of a line of armour.
func (s *scan) pastHyphens(at int) int { return min(at+5, run(s.text, at, hyphens)) }

// keyLines returns where the lines of a key end that has no last line.
func (s *scan) keyLines(at int) int {
	end := s.pastHyphens(at)
	for i := end; i < len(s.text) && i-at < maxPEM; {
		next := run(s.text, i, betweenLines)
		stop := run(s.text, next, base64)
		if stop-next < 16 {
			break
		}
		end, i = stop, stop
	}
	return end
}
