package sensitive

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loci-memory/loci/internal/language"
)

// link is what stands between a label and its value.
type link byte

const (
	adjacent link = iota // nothing
	prose                // a verb: "the password is …"
	direct               // ":" or "=", or an option of a command
)

// value is what may be a secret.
type value struct {
	text       string
	start, end int
	link       link
	quoted     bool
	last       bool // the sentence or the line ends after it
}

// quotes are pairs of marks around a value.
var quotes = map[rune]string{'"': "\"", '\'': "'", '`': "`", '“': "”", '„': "“", '‘': "’", '«': "»", '「': "」", '『': "』",
	'‹': "›", '»': "«"}

const (
	maxQuoted = 120
	maxValue  = 256
)

// valueAt reads the value at a place. Its text is empty if there is none.
func (s *scan) valueAt(at int, how link) value {
	at = s.skip(at, how)
	r, size := utf8.DecodeRuneInString(s.text[at:])
	if closing := quotes[r]; closing != "" {
		if v, ok := s.quotedAt(at+size, closing, how); ok {
			return v
		}
		at += size
	}
	end := at
	for end < len(s.text) && end-at < maxValue {
		c, size := utf8.DecodeRuneInString(s.text[end:])
		if c == '"' || c == '`' || unicode.IsSpace(c) || isUnspaced(c) || c >= 0x3000 && c <= 0x303f || c >= 0xff01 ||
			how == direct && s.closes(at, c) {
			break
		}
		end += size
	}
	text := strings.TrimRight(s.text[at:end], ".,;:?)]}'*|~…”’»")
	v := value{text: text, start: at, end: at + len(text), link: how}
	if len(text) > maxValue/2 {
		s.long = v.end
	}
	v.last = len(text) < end-at || s.endsAt(end)
	return v
}

// closes reports whether a character ends a value that stands in a list of settings.
func (s *scan) closes(at int, c rune) bool {
	return (c == '&' || c == ';' || c == ',') && at > 0 && s.text[at-1] == '=' || c == '<'
}

// endsAt reports whether a line or a sentence ends at a place.
func (s *scan) endsAt(at int) bool {
	rest := strings.TrimLeft(s.text[at:min(len(s.text), at+8)], " \t\r*_")
	if rest == "" {
		return true
	}
	c, _ := utf8.DecodeRuneInString(rest)
	return strings.ContainsRune("\n.,;:!?)]}|\"`（）。、，；！？」』(", c) || rest[0] == '-' || isUnspaced(c) ||
		strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "—")
}

// skip leaves out what stands before a value: spaces, marks of Markdown, and after a colon the end of the line.
func (s *scan) skip(at int, how link) int {
	lines := 0
	for at < len(s.text) {
		switch c := s.text[at]; {
		case c == ' ', c == '\t', c == '*', c == '_' && how != direct:
			at++
		case strings.HasPrefix(s.text[at:], "\u3000"):
			at += len("\u3000")
		case how == direct && lines == 0 && (c == '\n' || c == '\r' && strings.HasPrefix(s.text[at+1:], "\n")):
			lines, at = 1, at+1+strings.Index(s.text[at:], "\n")
		case lines == 1 && (c == '-' || c == '>') && strings.HasPrefix(s.text[at+1:], " "):
			at++
		default:
			return at
		}
	}
	return at
}

func (s *scan) quotedAt(at int, closing string, how link) (v value, ok bool) {
	window := s.text[at:min(len(s.text), at+maxQuoted)]
	n := strings.Index(window, closing)
	if n <= 0 || strings.Contains(window[:n], "\n") {
		return v, false
	}
	end := at + n
	text := strings.TrimSpace(window[:n])
	return value{text: text, start: at, end: end, link: how, quoted: true, last: s.endsAt(end + len(closing))}, text != ""
}

// kinds tells of which characters a value consists.
type kinds struct{ lower, upper, digit, symbol, inner, other int }

// kindsOf counts characters. inner are the capitals that follow a small letter.
func kindsOf(text string) (k kinds) {
	var last rune
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			k.digit++
		case unicode.IsUpper(r):
			k.upper++
			if unicode.IsLower(last) {
				k.inner++
			}
		case unicode.IsLetter(r):
			k.lower++
		case strings.ContainsRune("-_./'’", r):
			k.other++
		default:
			k.symbol++
		}
		last = r
	}
	return k
}

// referenceStarts begin what names a place where a secret is.
var referenceStarts = []string{
	"$", "%", "{", "<", "(", "[", "@", "http:", "https:", "www.", "/", "./",
	"../", "~", "op:", "vault", "env", "env.", "os.", "process.", "secrets",
	"config", "settings", "self.", "this.", "req.", "request.", "arn:",
	"file:", "user.", "ctx.", "params", "data.", "var.", "local.", "ssm:",
	"azurekeyvault", "\\", "--", "=", "&", "…", "**", "!env", "!vault",
	"0x…",
}

// referenceEnds end names of files and calls.
var referenceEnds = []string{
	".md", ".env", ".txt", ".yml", ".yaml", ".json", ".go", ".py", ".ts",
	".js", ".toml", ".sh", ".conf", ".html", ".pdf", ".kdbx", ".pem",
	".vault", ".gpg", "()", ".com", ".org", ".net", ".io", ".tf",
}

// isReference reports whether a value tells where a secret is, and is none itself.
func isReference(text string) bool {
	low := strings.ToLower(text)
	for _, p := range referenceStarts {
		if strings.HasPrefix(low, p) && (len(p) < 5 || strings.ContainsAny(p, ":.") || len(low) == len(p) ||
			strings.IndexByte(".[(:/_", low[len(p)]) >= 0) && !(p == "env" && len(low) > 3) {
			return true
		}
	}
	return slices.ContainsFunc(referenceEnds, func(p string) bool { return strings.HasSuffix(low, p) }) ||
		strings.ContainsAny(text, "(){}") && !strings.ContainsAny(text, "!#%&*+?") ||
		strings.Contains(text, "[redacted") ||
		strings.Contains(text, "::") || strings.Contains(text, "->")
}

// isMeasure reports whether a value is a number, a date, a time, a version or a count of something.
func isMeasure(text string) bool {
	k := kindsOf(text)
	if k.digit == 0 {
		return false
	}
	if k.lower+k.upper == 0 {
		return k.other > 0 || k.symbol > 0 && strings.Trim(text, "0123456789%:,.+-/$€£<>=~≥≤") == ""
	}
	end := run(text, 0, digits)
	if end == 0 {
		return strings.IndexByte("vVqQ", text[0]) >= 0 && strings.Trim(text[1:], "0123456789.-/'") == ""
	}
	rest := strings.ToLower(strings.TrimLeft(text[end:], "-+ ."))
	switch strings.TrimRight(rest, "s") {
	case "day", "d", "h", "hour", "min", "minute", "char", "character", "digit", "bit", "byte", "week", "month", "year",
		"x",
		"k", "kb", "mb", "gb", "m", "t", "st", "nd", "rd", "th", "time", "", "letter", "word", "zeichen", "tage", "stellig",
		"caractère", "caracter", "carácter", "step", "factor", "er", "e", "ª", "º", "%", "am", "pm", "uhr", "ish":
		return true
	}
	return false
}

// plainWords are words that follow "password is" and the like, and are none.
var plainWords = set(`required optional none null true false string text hidden reset unset set empty blank
 missing wrong incorrect invalid valid expired weak strong secure unsafe stored hashed encrypted salted rotated
 shared known unknown public private needed changed rejected accepted ignored logged printed visible default
 disabled enabled there here same different still never always today tomorrow yesterday varchar number integer
 boolean field value input auth authentication argon2 argon2id bcrypt scrypt pbkdf2 sha1 sha256 sha-256 sha512
 sha-512 md5 1password oauth2 saml2 ldap sso 2fa mfa totp fido2 webauthn passkey keepass keepassxc bitwarden
 lastpass dashlane keychain vault base64 utf8 utf-8 changeme tbd n/a case-sensitive case-insensitive up-to-date
 out-of-date long-lived short-lived read-only one-time single-use per-user auto-generated rate-limited falsch
 richtig abgelaufen pflicht geheim gespeichert ungültig gültig erforderlich vergessen bekannt geändert unbekannt
 leer nötig obligatoire expiré incorrect faux oublié inconnu changé obligatoria obligatorio incorrecta caducada
 olvidada expirada obrigatória incorreta errada esquecida expirou optional see ask lost forgotten compromised
 leaked broken kaput useless unchanged temporary okay fine good bad short long simple easy hard complex safe
 policy rules manager protected random generated available unavailable confidential sensitive working written
 below above attached enclosed elsewhere secret password passwort token unique mandatory pending sent everything
 nothing something someone anything everyone login logout username email the that this what when where who pages
 screen prompt dialog form link change changes rotation strength length hash hashes storage security`)

var set = language.Set

// wordEndings are those of words that say something about a password.
var wordEndings = []string{
	"ed", "able", "ible", "ive", "ous", "ful", "less", "ing", "ly", "tion",
	"ment", "ness", "ity", "lich", "bar", "isch", "ung", "iert", "ée", "é",
	"ado", "ada", "ido", "ida", "ável", "able", "ente", "ten", "wen",
}

// isPlain reports whether a value is a word that no password is.
func isPlain(text string) bool {
	low := strings.ToLower(text)
	if plainWords[low] || plainWords[strings.TrimSuffix(low, "s")] {
		return true
	}
	if kindsOf(text).digit > 0 {
		return false
	}
	return slices.ContainsFunc(wordEndings, func(e string) bool {
		return strings.HasSuffix(low, e) && len(low) > len(e)+2
	})
}
