package sensitive

import (
	encoding "encoding/base64"
	"slices"
	"strings"
)

// leastBearer is how many characters a bearer token has.
const leastBearer = 12

// tokens finds tokens that say what they are: JSON web tokens, and what follows "Bearer" and "Basic".
func (s *scan) tokens() {
	s.each(s.text, "eyJ", func(at int) int {
		end := run(s.text, at, dotted)
		jwt := strings.TrimRight(s.text[at:end], ".")
		parts := strings.SplitN(jwt, ".", 4)
		if len(parts) >= 2 && len(parts[0]) >= 12 && len(parts[1]) >= 12 && (at == 0 || !wordChars[s.text[at-1]]) {
			s.add(Token, at, at+len(jwt))
		}
		return end
	})
	for _, scheme := range []string{"bearer ", "bearer: ", "authorization: basic ", "authorization\": \"basic "} {
		s.each(s.fold, scheme, func(at int) int {
			from := at + len(scheme)
			from += len(s.text[from:]) - len(strings.TrimLeft(s.text[from:], "\"'` "))
			end := run(s.text, from, classOf("+/=_-.~", "09", "AZ", "az"))
			value := strings.TrimRight(s.text[from:end], ".-")
			if len(value) < leastBearer || isFiller(value) || !isTokenValue(value, scheme) {
				return max(from, end)
			}
			s.add(Token, from, from+len(value))
			return max(from, end)
		})
	}
}

func isTokenValue(value, scheme string) bool {
	if strings.HasPrefix(scheme, "bearer") {
		return mixed(value) && (spread(value) || isHex(value))
	}
	plain, err := encoding.StdEncoding.DecodeString(value)
	return err == nil && strings.Contains(string(plain), ":")
}

// fillers are parts of what stands in a text for a key: "your-key-here".
var fillers = []string{"xxxx", "****", "....", "your_", "your-", "yourkey", "yourtoken", "yourapi", "placeholder",
	"insert", "-here", "_here", "<", ">", "${", "{{", "}}", "%s", "%(", "•••", "…", "redacted", "replaceme",
	"replace_me", "replace-me", "0000000000", "1234567890abcdef1234", "abcdefghij", "todo"}

// isFiller reports whether a value stands for a secret and is none.
func isFiller(value string) bool {
	low := strings.ToLower(value)
	if strings.Trim(low, low[:min(1, len(low))]) == "" {
		return true
	}
	return slices.ContainsFunc(fillers, func(f string) bool { return strings.Contains(low, f) })
}

// isAlphabet reports whether a value has a row of letters or digits in their order. Alone it is no sign of a
// placeholder in a key that is as long as a real one.
func isAlphabet(value string) bool {
	low := strings.ToLower(value)
	return strings.Contains(low, "abcdefghij") && !strings.Contains(low, "xxxx") && !strings.Contains(low, "your")
}

func isHex(text string) bool { return run(text, 0, hex) == len(text) }

// isUUID reports whether a text is an id in the form of RFC 9562.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		if hyphen := i == 8 || i == 13 || i == 18 || i == 23; hyphen != (text[i] == '-') || !hyphen && !hex[text[i]] {
			return false
		}
	}
	return true
}

// spread reports whether the characters of a text are as many as in what a machine made up: words repeat theirs, and
// change less between letters and digits.
func spread(text string) bool {
	var counts [256]int
	distinct, changes := 0, 0
	kind := func(c byte) int {
		switch {
		case digits[c]:
			return 1
		case 'a' <= c && c <= 'z':
			return 2
		case 'A' <= c && c <= 'Z':
			return 3
		}
		return 0
	}
	for i := range len(text) {
		if counts[text[i]]++; counts[text[i]] == 1 {
			distinct++
		}
		if i > 0 && kind(text[i]) != kind(text[i-1]) && kind(text[i]) != 0 && kind(text[i-1]) != 0 {
			changes++
		}
	}
	return distinct >= min(8, len(text)*2/3) && changes*6 >= min(len(text), 36)
}
