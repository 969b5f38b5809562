package embed

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/loci-memory/loci"
)

// normalizers appends what a rule does with a text.
func normalizers(list []func(string) string, r *rule) ([]func(string) string, error) {
	switch r.Type {
	case "Sequence":
		var err error
		for i := range r.Normalizers {
			if list, err = normalizers(list, &r.Normalizers[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case "BertNormalizer":
		return append(list, bertNormalizers(r)...), nil
	case "Lowercase":
		return append(list, lower), nil
	case "StripAccents":
		return append(list, without(unicode.M)), nil
	case "NFC":
		return append(list, norm.NFC.String), nil
	case "NFD":
		return append(list, norm.NFD.String), nil
	case "NFKC":
		return append(list, norm.NFKC.String), nil
	case "NFKD":
		return append(list, norm.NFKD.String), nil
	case "Nmt":
		return append(list, plain), nil
	case "Precompiled": // a table that is NFKC but for a few signs
		return append(list, plain, norm.NFKC.String), nil
	case "Strip":
		return append(list, stripped(or(r.StripLeft, true), or(r.StripRight, true))), nil
	case "Prepend":
		return append(list, func(text string) string {
			if text == "" {
				return ""
			}
			return r.Prepend + text
		}), nil
	case "Replace":
		f, err := replaced(r)
		return append(list, f), err
	}
	return nil, fmt.Errorf("has a normalizer of the type %q, which Loci does not know", r.Type)
}

func or(b *bool, fallback bool) bool {
	if b == nil {
		return fallback
	}
	return *b
}

func bertNormalizers(r *rule) (list []func(string) string) {
	if or(r.CleanText, true) {
		list = append(list, cleaned)
	}
	if or(r.Chinese, true) {
		list = append(list, spaced)
	}
	lowercase := or(r.Lowercase, true)
	if or(r.StripAccents, lowercase) {
		list = append(list, func(text string) string {
			if loci.IsASCII(text) {
				return text
			}
			return withoutAccents(norm.NFD.String(text))
		})
	}
	if lowercase {
		list = append(list, lower)
	}
	return list
}

// lower makes each character small, of which one becomes two.
func lower(text string) string { return strings.ToLower(strings.ReplaceAll(text, "İ", "i\u0307")) }

// withoutAccents drops the accents of a decomposed text.
var withoutAccents = without(unicode.Mn)

func without(table *unicode.RangeTable) func(string) string {
	return func(text string) string {
		return strings.Map(func(r rune) rune {
			if unicode.Is(table, r) {
				return -1
			}
			return r
		}, text)
	}
}

// cleaned drops control characters, and makes any white space a space.
func cleaned(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return ' '
		case r == utf8.RuneError || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, text)
}

// plain does the same as models of SentencePiece want it.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028, r == 0x2029,
			r == 0x2581, r == 0xfeff, r == utf8.RuneError:
			return ' '
		case r > 0 && r < ' ', r == 0x7f, r == 0x8f, r == 0x9f:
			return -1
		}
		return r
	}, text)
}

// spaced puts spaces around ideographs, each of which is a word.
func spaced(text string) string {
	if loci.IsASCII(text) || !strings.ContainsFunc(text, ideograph) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if ideograph(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func ideograph(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}

func stripped(left, right bool) func(string) string {
	return func(text string) string {
		if left {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if right {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		return text
	}
}

func replaced(r *rule) (func(string) string, error) {
	if s := r.Pattern.String; s != nil && *s != "" {
		return func(text string) string { return strings.ReplaceAll(text, *s, r.Content) }, nil
	}
	if r.Pattern.Regex == nil {
		return nil, errors.New("has a Replace without a pattern")
	}
	x, err := regexp.Compile(unicodeClasses(*r.Pattern.Regex))
	if err != nil {
		return nil, fmt.Errorf("has a Replace with the pattern %.50q, which Loci cannot read", *r.Pattern.Regex)
	}
	return func(text string) string { return x.ReplaceAllLiteralString(text, r.Content) }, nil
}

// unicodeClasses writes a pattern so that its classes of characters are those of Unicode, as tokenizers have them.
func unicodeClasses(pattern string) string {
	classes := map[byte]string{'s': `\s\x{0b}\x{85}\p{Z}`, 'd': `\p{Nd}`, 'w': `\p{L}\p{M}\p{N}\p{Pc}`}
	var b strings.Builder
	inside := false // of brackets
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		if c == '[' || c == ']' {
			inside = c == '['
		}
		if c != '\\' || i+1 == len(pattern) {
			b.WriteByte(c)
			continue
		}
		i++
		class := classes[pattern[i]]
		switch {
		case class == "":
			b.WriteString(pattern[i-1 : i+1])
		case inside:
			b.WriteString(class)
		default:
			b.WriteString("[" + class + "]")
		}
	}
	return b.String()
}
