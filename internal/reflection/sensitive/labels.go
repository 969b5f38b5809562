package sensitive

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loci-memory/loci"
)

// How far from a label its value may be, and from a code the door that it opens, in bytes.
const (
	maxLabelGap   = 90
	maxLabelWords = 8
	placeBefore   = 90
	placeAfter    = 70
	backWords     = 5
	maxUnspaced   = 48
)

// labels finds what follows the words of the lexicon.
func (s *scan) labels() {
	hits := s.hits()
	s.cues = map[string][]hit{}
	for _, h := range hits {
		if strings.HasSuffix(s.fold[:h.start], mark) {
			continue
		}
		s.cues[h.kind] = append(s.cues[h.kind], h)
	}
	for _, h := range hits {
		if strings.HasSuffix(s.fold[:h.start], mark) || h.start < s.long || s.passesOn(h) {
			continue
		}
		switch h.kind {
		case "password", "pass":
			s.password(h)
		case "api_key", "token":
			s.key(h)
		case "private_key":
			s.privateKey(h)
		case "seed":
			s.seed(h)
		case "login":
			s.login(h)
		case "code", "anycode":
			s.code(h)
		case "place":
			s.placeCode(h)
		case "key":
			s.looseKey(h)
		case "network":
			s.network(h)
		case "keyword":
			s.keyword(h)
		case "lock":
			s.lock(h)
		case "opens":
			s.opens(h)
		case "opened":
			s.opened(h)
		}
	}
	s.strong()
	s.slashPasswords()
	s.hashCodes()
	s.starCodes()
	s.each(s.text, " -u ", s.userOption)
	s.each(s.fold, "mysql", s.mysqlOption)
}

// labelEnds may stand between a label and what joins it to its value.
var labelEnds = classOf("\"'`*)] \t")

var blanks = classOf(" \t")

// identifierTails may follow a label in the name of a variable.
var identifierTails = set("prod production dev live staging test local main root admin new old default base 1 2")

// after calls try with each value that may belong to a label, until it accepts one, and reports whether it did.
func (s *scan) after(h hit, try func(at int, how link) bool) bool {
	at := h.end
	if at+1 < len(s.text) && (s.text[at] == '_' || s.text[at] == '-') && alnum[s.text[at+1]] {
		end := run(s.fold, at+1, alnum)
		if !identifierTails[s.fold[at+1:end]] {
			return false
		}
		at = end
	}
	if at < len(s.text) && s.text[at] == '.' && at+1 < len(s.text) && alnum[s.text[at+1]] {
		return false
	}
	at = run(s.text, at, labelEnds)
	if to, ok := s.connector(at); ok {
		return try(to, direct)
	}
	if strings.HasSuffix(s.fold[:h.start], "--") && s.text[h.end:at] != "" && try(at, direct) {
		return true
	}
	if (at > h.end || at < len(s.text) && s.text[h.end-1] >= utf8.RuneSelf) && try(s.quoteBefore(h.end, at), adjacent) {
		return true
	}
	if next := s.pastAdjectives(at); next > at && try(next, adjacent) {
		return true
	}
	if r, _ := utf8.DecodeRuneInString(s.text[at:]); isUnspaced(r) || strings.ContainsRune("（「『", r) {
		return s.unspacedAfter(at, try)
	}
	return s.proseAfter(at, try)
}

// quoteBefore returns where a value begins whose opening quote was left out with what ends a label.
func (s *scan) quoteBefore(from, to int) int {
	if to > from && strings.IndexByte("\"'`", s.text[to-1]) >= 0 && to-1 > from && s.text[to-2] == ' ' {
		return to - 1
	}
	return to
}

// connectors stand between a label and its value. A longer one comes first.
var connectors = []string{":=", "=>", "->", "==", "→", "⇒", ":", "=", "：", "＝"}

func (s *scan) connector(at int) (to int, ok bool) {
	for _, c := range connectors {
		if strings.HasPrefix(s.text[at:], c) {
			return at + len(c), !strings.HasPrefix(s.text[at:], "://")
		}
	}
	return at, false
}

// particles join a label and its value where words have no spaces between them.
var particles = []string{"は", "是", "为", "為", "が", "：", ":", "＝", "「", "『", "改成", "改为", "設定", "设为", "を", "換成", "换成",
	"變成", "变成", "成了", "更新", "、"}

func (s *scan) unspacedAfter(at int, try func(at int, how link) bool) bool {
	for i := at; i < len(s.text) && i-at < maxUnspaced; {
		r, size := utf8.DecodeRuneInString(s.text[i:])
		if r == '。' || r == '\n' || r == '！' || r == '？' {
			return false
		}
		if r < utf8.RuneSelf && (alnum[byte(r)] || r == '*' || r == '#') {
			joined := slices.ContainsFunc(particles, func(p string) bool { return strings.Contains(s.text[at:i], p) })
			return joined && try(i, direct)
		}
		i += size
	}
	return false
}

// proseAfter looks for a verb, a colon or an equals sign behind some words, and tries what follows.
func (s *scan) proseAfter(at int, try func(at int, how link) bool) bool {
	x := lexicons()
	for n := 0; n < maxLabelWords && at < len(s.text); n++ {
		end := at
		for end < len(s.text) && end-at < maxLabelGap && strings.IndexByte(" \t\n\r", s.text[end]) < 0 {
			end++
		}
		token := s.fold[at:end]
		next := run(s.text, end, blanks)
		bare := strings.Trim(token, ",\"'`*()")
		bare = bare[strings.LastIndexByte(bare, '\'')+1:] // c'est
		switch {
		case token == "":
			return false
		case x.single["copula"][bare]:
			if try(s.pastFillers(next), prose) {
				return true
			}
		case token == "!=", token == "==":
			return false
		case strings.HasSuffix(token, ":"), strings.HasSuffix(token, "="):
			return try(next, direct)
		case strings.HasSuffix(token, "."), strings.HasSuffix(token, "!"), strings.HasSuffix(token, "?"),
			strings.HasSuffix(token, ";"), isLabel(x, bare):
			return false
		}
		at = next
	}
	return false
}

func isLabel(x *lexicon, w string) bool {
	return x.single["password"][w] || x.single["token"][w] || x.single["api_key"][w] || x.single["code"][w]
}

// pastAdjectives leaves out words such as "temporary" that stand between a label and its value.
func (s *scan) pastAdjectives(at int) int {
	i := s.wordAt(at)
	for i < len(s.words) && s.words[i].start == at && lexicons().single["adjective"][s.fold[at:s.words[i].end]] {
		at = run(s.text, s.words[i].end, labelEnds)
		i++
	}
	return at
}

// pastFillers leaves out up to two words such as "now" and "still".
func (s *scan) pastFillers(at int) int {
	x := lexicons()
	for range 3 {
		end := at
		for end < len(s.fold) && end-at < 24 && s.fold[end] != ' ' && s.fold[end] != '\n' {
			end++
		}
		w := strings.Trim(s.fold[at:end], ",:")
		if end == len(s.fold) || !x.single["filler"][w] && !(x.single["copula"][w] && len(w) < 4) {
			return at
		}
		at = end + 1
	}
	return at
}

func (s *scan) password(h hit) {
	found := s.after(h, func(at int, how link) bool {
		v := s.valueAt(at, how)
		if h.kind == "pass" && how != direct && !s.afterUser(h.start) && !v.isRandom() {
			return false
		}
		if how == direct && !v.quoted && s.text[at-1] != '=' {
			if end := s.passphrase(v); end > v.end {
				s.add(Password, v.start, end)
				return true
			}
		}
		if !v.isPassword() && !s.isNamedWord(h, v) {
			return false
		}
		typ := Password
		if k := kindsOf(v.text); k.lower+k.upper == 0 && k.digit <= 8 && s.near(h, "place") {
			typ = AccessCode
		}
		s.add(typ, v.start, v.end)
		return true
	})
	if !found && h.kind == "password" {
		s.passwordBefore(h)
	}
}

// afterUser reports whether the name of a user stands before a place.
func (s *scan) afterUser(at int) bool {
	before := s.fold[max(0, at-cueNear):at]
	return strings.Contains(before, "user") || strings.Contains(before, "login") || strings.Contains(before, "creds")
}

// specific are words of a certain password: that of a network or an account.
var specific = set(`wifi wi fi wlan router guest admin root db database vpn ssid laptop nas gast invité invitados
 convidados wi-fi ftp ssh server printer staging account konto`)

// isNamedWord reports whether a word is the password of something that the sentence names.
func (s *scan) isNamedWord(h hit, v value) bool {
	k := kindsOf(v.text)
	if v.link != prose || !v.last || len(v.text) < leastWord || k.symbol+k.digit > 0 || isPlain(v.text) ||
		isReference(v.text) || k.other > 0 && k.other < 2 || isFiller(v.text) && v.text != "changeme" {
		return v.link == prose && v.last && strings.EqualFold(v.text, "changeme")
	}
	i := s.wordAt(h.start)
	for j := max(0, i-4); j < min(len(s.words), i+6); j++ {
		if specific[s.fold[s.words[j].start:s.words[j].end]] {
			return true
		}
	}
	return false
}

// wordAt returns the number of the first word that ends after a place.
func (s *scan) wordAt(at int) int {
	i, _ := slices.BinarySearchFunc(s.words, at, func(w word, at int) int { return w.end - at - 1 })
	return i
}

// passphrase returns where the words end of a password that stands alone on the rest of its line.
func (s *scan) passphrase(v value) int {
	if v.text == "" || isReference(v.text) || isPlain(v.text) {
		return 0
	}
	line, _, _ := strings.Cut(s.text[v.start:min(len(s.text), v.start+maxQuoted)], "\n")
	for _, stop := range []string{". ", ", ", "; ", " (", " - ", " – "} {
		line, _, _ = strings.Cut(line, stop)
	}
	line = strings.TrimRight(line, " \r\t.,;")
	words := strings.Fields(line)
	if len(words) < 2 || len(words) > 7 || len(line) >= maxQuoted-1 || !loci.IsASCII(line) {
		return 0
	}
	digit := false
	for _, w := range words {
		k := kindsOf(w)
		if stop[strings.ToLower(w)] || isPlain(w) || isReference(w) || k.other > 0 {
			return 0
		}
		digit = digit || k.digit > 0
	}
	if k := kindsOf(line); !digit && (len(words) < 4 || k.upper > 0 || k.symbol > len(words)-1) || isMeasure(words[0]) {
		return 0
	}
	return v.start + len(line)
}

// stop are words of sentences, which are in no passphrase.
var stop = set(`the a an is are was be to of in on for with by at or and not no if it we you i they he she as from this
 that must should will can has have use see ask needs need your my our der die das ist und oder nicht im in
 mit für le la les est et ou pas el los y o no de para con com por characters chars days digits minimum
 least only per new when`)

// passwordBefore finds a password that stands before its label: "hunter2 is the password", "use hunter2 as the
// password".
func (s *scan) passwordBefore(h hit) {
	i := s.wordAt(h.start)
	for n := 1; n <= backWords && i-n >= 0; n++ {
		w := s.words[i-n]
		if strings.ContainsAny(s.text[w.end:h.start], ".!?;\n") {
			return
		}
		switch s.fold[w.start:w.end] {
		case "is", "as", "ist", "als", "est", "comme", "es", "como", "é", "was":
		default:
			continue
		}
		end := len(strings.TrimRight(s.text[:w.start], " "))
		start := end
		for start > 0 && end-start < maxValue && strings.IndexByte(" \t\n", s.text[start-1]) < 0 {
			start--
		}
		if trimmed := strings.TrimRight(s.text[start:end], "\"'`”’"); trimmed != "" {
			at := start + len(trimmed) - len(strings.TrimLeft(trimmed, "\"'`“„‘("))
			v := value{text: s.text[at : start+len(trimmed)], start: at, end: start + len(trimmed), link: adjacent}
			if v.isPassword() {
				s.add(Password, v.start, v.end)
			}
		}
		return
	}
}

func (s *scan) key(h hit) {
	typ := APIKey
	if h.kind == "token" {
		typ = Token
	}
	least := leastKey
	if strings.HasSuffix(s.fold[h.start:h.end], "secret") {
		least = 8
	}
	s.after(h, func(at int, how link) bool {
		v := s.valueAt(at, how)
		if !v.isKey(least) {
			return false
		}
		s.add(typ, v.start, v.end)
		return true
	})
}

func (s *scan) privateKey(h hit) {
	s.after(h, func(at int, how link) bool {
		v := s.valueAt(at, how)
		text := strings.TrimPrefix(v.text, "0x")
		if len(text) < 40 || isFiller(text) || !isHex(text) && !spread(text) || run(text, 0, base64) < len(text) {
			return false
		}
		s.add(PrivateKey, v.start, v.end)
		return true
	})
}

// The words of a phrase that stands for a key.
const (
	leastSeed = 11
	maxSeed   = 25
)

func (s *scan) seed(h hit) {
	s.after(h, func(at int, how link) bool {
		at = s.skip(at, direct)
		i := s.wordAt(at)
		n := 0
		for ; n < maxSeed && i+n < len(s.words); n++ {
			w := s.words[i+n]
			if n > 0 && strings.Trim(s.text[s.words[i+n-1].end:w.start], " ,\n") != "" || w.end-w.start < 3 ||
				w.end-w.start > 8 || !loci.IsASCII(s.fold[w.start:w.end]) || run(s.fold, w.start, digits) > w.start {
				break
			}
		}
		if n < leastSeed || how == adjacent {
			return false
		}
		s.add(PrivateKey, s.words[i].start, s.words[i+n-1].end)
		return true
	})
}

// login finds the password in "login: admin / hunter2".
func (s *scan) login(h hit) {
	s.after(h, func(at int, how link) bool { return s.loginAt(at, h.end) })
}

// loginAt finds the password behind the name of a user or a network and a mark.
func (s *scan) loginAt(at, labelEnd int) bool {
	how := direct
	if at == labelEnd {
		how = adjacent
	}
	user := s.valueAt(at, how)
	name, pw, ok := strings.Cut(user.text, "/")
	start := user.end - len(pw)
	if !ok {
		if name, pw, ok = strings.Cut(user.text, ":"); ok {
			start = user.end - len(pw)
		}
	}
	if !ok && user.text != "" {
		rest := s.text[user.end:min(len(s.text), user.end+4)]
		for _, sep := range []string{" / ", " | ", " : ", ", "} {
			if strings.HasPrefix(rest, sep) {
				next := s.valueAt(user.end+len(sep), prose)
				name, pw, start, ok = user.text, next.text, next.start, true
				break
			}
		}
	}
	v := value{text: pw, start: start, end: start + len(pw), link: adjacent}
	if !ok || name == "" || strings.Contains(name, "/") || !v.isPassword() {
		return false
	}
	s.add(Password, v.start, v.end)
	return true
}

// userOption finds the password in "curl -u admin:hunter2".
func (s *scan) userOption(at int) int {
	v := s.valueAt(at+len(" -u "), direct)
	user, pw, ok := strings.Cut(v.text, ":")
	ok = ok && user != "" && len(pw) >= leastPassword && !strings.Contains(v.text, "/")
	if ok && !isFiller(pw) && !isReference(pw) {
		s.add(Password, v.end-len(pw), v.end)
	}
	return at
}
