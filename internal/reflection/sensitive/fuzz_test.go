package sensitive

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzFind checks that the spans are whole characters in order, that nothing secret is left in a redacted text, and
// that the two texts agree about what was not replaced.
func FuzzFind(f *testing.F) {
	for _, text := range []string{"password is hunter2", "pw: a pin: 4471 and 4111 1111 1111 1111",
		"密码是abc123。token=k9Xq2Lm7Wp4Rt8",
		"postgres://a:b1c2d3@h/x Password=x1y2;Server=z", "passphrase \"a b\" is is is hunter2 as password",
		"--password x1 -u a:b123 4471# gate",
		"api key: " + strings.Repeat("aB3", 9), "recovery codes: a1b2-c3d4, e5f6-a7b8",
		"login: a / b123456, code 12-34-56 safe",
		"+49 170 1234567 ü@x.org \xff\xfe", "Authorization: Bearer k9Xq2Lm7Wp4Rt8 eyJhbGciOiJI.eyJzdWIiOiIx.abc",
		"-----BEGIN PRIVATE KEY-----\nQUJD"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := Find(text)
		last := 0
		for _, m := range found {
			if m.Start < last || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("%q: %v after %d", text, m, last)
			}
			if utf8.ValidString(text) && !(utf8.ValidString(text[:m.Start]) && utf8.ValidString(text[m.Start:m.End])) {
				t.Fatalf("%q: %v is within a character", text, m)
			}
			last = m.End
		}
		redacted, m := Redact(text, found)
		for _, again := range Find(redacted) {
			if again.Type.Redacted() {
				t.Fatalf("%q: %q still has %s %q", text, redacted, again.Type, redacted[again.Start:again.End])
			}
		}
		checkMap(t, text, redacted, found, m)
	})
}

func checkMap(t *testing.T, text, redacted string, found []Match, m Map) {
	t.Helper()
	inside := func(offset int) bool {
		for _, f := range found {
			if f.Type.Redacted() && f.Start <= offset && offset < f.End {
				return true
			}
		}
		return false
	}
	last := 0
	for i := 0; i <= len(text); i++ {
		to := m.ToRedacted(i)
		if to < last || to > len(redacted) {
			t.Fatalf("%q: %d leads to %d after %d", text, i, to, last)
		}
		last = to
		if inside(i) {
			continue
		}
		if back := m.ToOriginal(to); back != i || i < len(text) && text[i] != redacted[to] {
			t.Fatalf("%q: %d leads to %d, and back to %d", text, i, to, back)
		}
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	text := "Mail bob@example.org: the password is hunter2, card 4111 1111 1111 1111."
	found := Find(text)
	got, m := Redact(text, found)
	want := "Mail bob@example.org: the password is [redacted password], card [redacted card_number]."
	if got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
	at, end := strings.Index(text, "hunter2"), strings.Index(text, "hunter2")+len("hunter2")
	if from, to := m.RedactedSpan(at+2, end-1); got[from:to] != "[redacted password]" {
		t.Errorf("a part of the secret leads to %q", got[from:to])
	}
	if from, to := m.RedactedSpan(0, at); got[from:to] != text[:at] {
		t.Errorf("what stands before leads to %q", got[from:to])
	}
	if from := m.ToOriginal(strings.Index(got, ", card")); text[from:from+6] != ", card" {
		t.Errorf("what stands behind leads to %q", text[from:from+6])
	}
	for quote, want := range map[string]string{"the password is [redacted password]": "the password is hunter2",
		"Mail": "Mail", "[redacted card_number]": "4111 1111 1111 1111", "the password is [redacted": "",
		"password], card": ""} {
		start := strings.Index(got, quote)
		from, to, whole := m.OriginalSpan(start, start+len(quote))
		if whole != (want != "") || whole && text[from:to] != want {
			t.Errorf("%q leads to %q, whole %v", quote, text[from:to], whole)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	const size = 1 << 20
	for name, part := range map[string]string{
		"prose":   "The nightly job copies the database of the shop to the second region, and Ada checks it on 2026-03-05.\n",
		"labels":  "password is api key token: pin code door ",
		"secrets": "password: hunter2x, token = k9Xq2Lm7Wp4Rt8Vb1Nc5 and postgres://a:b1c2d3@h/x\n",
		"digits":  "1", "groups": "1234 5678 ", "at": "a@", "slashes": "://", "brackets": "((((", "cjk": "密码是门的",
		"quotes": "password \"", "settings": "password=", "hash": "4471#", "newlines": "\n", "plus": "+1 ", "iban": "DE89 ",
		"pem": "-----BEGIN RSA PRIVATE KEY-----\n", "eyj": "eyJhbGciOiJI", "lone": "password ", "u": " -u ",
		"codes": "codes: 1234, 5678, ", "marks": "_live_a1", "wifi": "wifi user clave key: ",
		"putty": "PuTTY-User-Key-File-2: ",
		"hooks": "hook=https://hooks.x/", "passport": "passport no. ",
		"opens": "door opens with ", "stars": "*2604 door ", "mysql": "mysql -p ", "bots": "12345678:AA",
		"strong":    "password a!1A ",
		"documents": "passports A12345678 ", "nouns": "code for the door ", "adjectives": "password new ",
		"invalid": "\xff\xe5", "seeds": "seed phrase: apple river stone cloud tiger lamp wolf grape ocean chair pilot drum ",
	} {
		text := strings.Repeat(part, size/len(part)+1)[:size]
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				Find(text)
			}
		})
	}
	b.Run("2KB", func(b *testing.B) {
		text := strings.Repeat("We met on Tuesday. The password is hunter2 and Ada owns the form.\n", 31)
		for b.Loop() {
			Find(text)
		}
	})
}
