package language

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// forms returns the forms of a text. Those at one position are joined with "|".
func forms(text string) string {
	var a Analyzer
	var out []string
	last := -1
	for _, t := range a.Tokens(text, nil) {
		if t.Position == last {
			out[len(out)-1] += "|" + t.Form
		} else {
			out = append(out, t.Form)
		}
		last = t.Position
	}
	return strings.Join(out, " ")
}

func TestTokens(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"words", "The Quick, brown fox.", "the quick brown fox"},
		{"accents", "Éva naïve Łódź İzmir ÇAĞRI", "eva naive lodz izmir cagri"},
		{"decomposed", "Mu\u0308nchen", "munchen"},
		{"sharp s", "Straße STRASSE", "strasse strasse"},
		{"cyrillic", "Ёлка мой", "елка мой"},
		{"greek", "Όδυσσεύς", "οδυσσευσ"},
		{"arabic marks", "كَلِمَةٌ أحمد", "كلمه احمد"},
		{"hebrew marks", "שָׁלוֹם", "שלום"},
		{"vowel signs remain", "हिन्दी", "हिन्दी"},
		{"possessive", "Anna's dog, don’t", "anna dog dont"},
		{"possessive of full width", "Anna＇s dog, don＇t", "anna dog dont"},
		{"elision", "l'eau dell’università", "l eau dell universita"},
		{"suffix after an apostrophe", "İzmir'de", "izmirde|izmir"},
		{"camel case", "parseConfigFile", "parseconfigfile|parse config file"},
		{"initialism in a name", "HTTPServer", "httpserver|http server"},
		{"snake case", "MAX_RETRY_COUNT", "maxretrycount|max retry count"},
		{"kebab case", "enable-dark-mode", "enabledarkmode|enable dark mode"},
		{"path", "src/userName.ts", "src/username.ts|src username|user name ts"},
		{"error code", "E4021 ORA-00942", "e4021|4021 ora00942|ora 00942"},
		{"hash", "1Z999AA10123456784", "1z999aa10123456784"},
		{"initials", "U.S.A.", "usa"},
		{"language names", "C++, C# and C", "c++ c# and c"},
		{"address", "anna@example.com", "anna@example.com|anna example com"},
		{"unit", "85kg 85 kg", "85|85kg kg 85|85kg kg"},
		{"unit in words", "85 kilos", "85|85kg kilos"},
		{"percent", "3.75% 3.75 percent", "3.75|3.75% 3.75|3.75% percent"},
		{"currency", "€50 50 EUR", "50|50eur 50|50eur eur"},
		{"time", "15:00 3 PM 3pm 3 p.m. 15 Uhr 15h30", "15:00 3|15:00 pm 3|15:00 pm 3|15:00 pm 15|15:00 uhr 15:30"},
		{"time that is open", "3:30", "03:30|15:30"},
		{"version", "v1.29.4", "1.29.4|1.29"},
		{"thousands", "1.000,50 1,000.50 1000.50 12,500", "1000.50 1000.50 1000.50 12500"},
		{"date in digits", "2026-05-14", "2026|2026-05-14|2026-05|05-14"},
		{"German date", "14.05.2026", "2026|2026-05-14|2026-05|05-14"},
		{"date in words", "14 May 2026", "14|05-14 may 2026|2026-05-14|2026-05"},
		{"American date", "May 14, 2026", "may 14|05-14 2026|2026-05-14|2026-05"},
		{"Spanish date", "14 de mayo", "14|05-14 de mayo"},
		{"timestamp", "2026-05-14T10:20:00Z", "2026|2026-05-14|2026-05|05-14 10:20"},
		{"telephone", "+49 170 5550123", "49|491705550123 170 5550123"},
		{"full width", "Ｗｉ－Ｆｉ ８５ｋｇ", "wifi|wi fi 85|85kg kg"},
		{"traditional", "圖書館", "图|图书 书|书馆 馆"},
		{"Japanese form", "図書館", "图|图书 书|书馆 馆"},
		{"katakana", "データ", "でー ーた"},
		{"half-width katakana", "ﾃﾞｰﾀ", "でー ーた"},
		{"foreign vowels", "ヴァイオリン", "ばい いお おり りん"},
		{"one ideograph", "薬", "药|くす|すり"},
		{"Korean", "정전이 약을", "정전 전이 약을|약"},
		{"Thai", "น้ำ", "น้ำ"},
		{"emoji", "cake 🎂", "cake 🎂"},
		{"nothing", " .,-_ \x00 ", ""},
	}
	for _, tt := range tests {
		if got := forms(tt.text); got != tt.want {
			t.Errorf("%s: %q: got %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}

// TestSpellingsMeet has the pairs that people take for the same.
func TestSpellingsMeet(t *testing.T) {
	for _, pair := range [][2]string{
		{"user id", "userId"}, {"user_id", "userId"}, {"85 kg", "85kg"}, {"3 PM", "15:00"}, {"v1.2.3", "1.2.3"},
		{"1.000,50", "1000.50"}, {"14.05.2026", "May 14, 2026"}, {"Straße", "strasse"}, {"Ｗｉ－Ｆｉ", "wifi"},
		{"無線網路密碼", "无线网路密码"}, {"ネコ", "ねこ"}, {"猫", "ネコ"}, {"すし", "寿司"}, {"子供", "こども"}, {"澤", "沢"},
		{"كَلِمَة", "كلمة"}, {"अगस्त", "अगस्त"}, {"땅콩에", "땅콩"}, {"약은", "약을"}, {"e-mail", "email"},
		{"下午3点", "15:00"}, {"오후 3시", "3 PM"}, {"2026年5月14日", "2026-05-14"}, {"85公斤", "85 kg"},
		{"+49 170 5550123", "+491705550123"}, {"٣", "3"},
	} {
		var a Analyzer
		has := map[string]bool{}
		for _, token := range a.Tokens(pair[0], nil) {
			has[token.Form] = true
		}
		if !slices.ContainsFunc(a.Tokens(pair[1], nil), func(token Token) bool { return has[token.Form] }) {
			t.Errorf("%q and %q have no form in common: %q, %q", pair[0], pair[1], forms(pair[0]), forms(pair[1]))
		}
	}
}

func TestStemsMeet(t *testing.T) {
	for _, tt := range []struct {
		langs Languages
		pairs [][2]string
	}{
		{English, [][2]string{{"running", "runs"}, {"invoices", "invoice"}}},
		{German, [][2]string{{"rechnungen", "rechnung"}, {"fuer", "fur"}, {"haeuser", "haus"}}},
		{French, [][2]string{{"reunions", "reunion"}, {"preferee", "preferees"}}},
		{Spanish, [][2]string{{"reuniones", "reunion"}, {"garantias", "garantia"}}},
		{Italian, [][2]string{{"abbonamenti", "abbonamento"}}},
		{Portuguese, [][2]string{{"decisoes", "decisao"}, {"informacoes", "informacao"}}},
		{Turkish, [][2]string{{"okulda", "okul"}, {"evlerimizden", "ev"},
			{"anahtarlari", "anahtarinin"}, {"kitabi", "kitap"}}},
		{Polish, [][2]string{{"faktury", "fakture"}, {"samochodzie", "samochodzi"}, {"gitarze", "gitarzy"}}},
		{Russian, [][2]string{{"тормозами", "тормоза"}, {"договор", "договоре"}}},
		{Arabic, [][2]string{{"المدير", "مدير"}, {"فواتير", "فاتوره"}, {"سيارتي", "السياره"}, {"مفاتيح", "مفتاح"}}},
		{Finnish, [][2]string{{"kokouksen", "kokoukset"}}},
	} {
		var a Analyzer
		for _, pair := range tt.pairs {
			left := append(a.Stems(pair[0], tt.langs), pair[0])
			right := append(a.Stems(pair[1], tt.langs), pair[1])
			if !slices.ContainsFunc(left, func(stem string) bool { return slices.Contains(right, stem) }) {
				t.Errorf("%v: %q %q and %q %q do not meet", tt.langs, pair[0], left, pair[1], right)
			}
		}
	}
}

func TestStemsAreOfTheScript(t *testing.T) {
	var a Analyzer
	for form, langs := range map[string]Languages{"running": Russian | Arabic, "договоре": English, "15:00": English,
		"": English} {
		if stems := a.Stems(form, langs); len(stems) > 0 {
			t.Errorf("%q in %v: got %q, want none", form, langs, stems)
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]Languages{
		"The dentist is on Monday":             English,
		"Der Zahnarzt ist am Montag":           German,
		"Le dentiste est dans la rue":          French,
		"El dentista vive en la calle":         Spanish,
		"Diş hekimi perşembe günü":             Turkish,
		"Hasło jest w szufladzie":              Polish,
		"Мы решили перенести":                  Russian,
		"Ми вирішили перенести її":             Ukrainian,
		"موعد طبيب الأسنان":                    Arabic,
		"我对花生过敏":                               Chinese | Japanese,
		"歯医者の予約":                               Japanese,
		"치과 예약":                                Korean,
		"PostgreSQL":                           English,
		"85 ... 15:00":                         0,
		"":                                     0,
		"Das Meeting ist am Montag, 会议 ist es": German | Chinese | Japanese,
	} {
		got := Detect(text)
		if want&^got != 0 || got&^want&^(English|Italian|Portuguese|Romanian|Czech) != 0 {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// An English word of a short text may be a word of another language, too.
func TestDetectShortEnglish(t *testing.T) {
	for _, text := range []string{"I'm allergic to peanuts.", "Customers pay per seat.", "Tom reviews contracts.",
		"I'm on call on Mondays.", "Terraform modules per team.", "Mia's teachers: Ms Kim."} {
		if got := Detect(text); got&English == 0 {
			t.Errorf("%q: got %v, want English among them", text, got)
		}
	}
}

func TestStop(t *testing.T) {
	if !Stop("die", German) || Stop("die", English) || !Stop("what", English) || !Stop("什么", Chinese) ||
		!Stop("fur", German) {
		t.Error("stop-words depend on the language, in folded form")
	}
}

func TestSimilarity(t *testing.T) {
	for _, tt := range []struct {
		query, form string
		least, most float64
	}{
		{"strom", "stromausfall", .6, 1},
		{"ausfall", "stromausfall", .5, 1},
		{"haustur", "hausturschlussel", .6, 1},
		{"okulda", "okul", .7, 1},
		{"versichert", "hausratversicherung", .3, 1},
		{"kubernets", "kubernetes", .6, 1},
		{"same", "same", 1, 1},
		{"cat", "category", 0, .1},
		{"form", "platform", 0, .35},
		{"table", "stable", 0, .6},
		{"london", "leiden", 0, .2},
		{"", "word", 0, 0},
	} {
		got, back := Similarity(tt.query, tt.form), Similarity(tt.form, tt.query)
		if got < tt.least || got > tt.most {
			t.Errorf("%q, %q: got %.2f, want %.2f to %.2f", tt.query, tt.form, got, tt.least, tt.most)
		}
		if got != back {
			t.Errorf("%q, %q: %.3f one way and %.3f the other", tt.query, tt.form, got, back)
		}
	}
}

func TestSwaps(t *testing.T) {
	for form, want := range map[string][]string{"fridge": {"rfidge", "firdge", "frdige", "frigde", "frideg"},
		"moon": {"omon", "mono"}, "cat": nil, "東京": nil} {
		if got := slices.Collect(Swaps(form)); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", form, got, want)
		}
	}
}

func TestGrams(t *testing.T) {
	if got := Grams("okul", nil); !reflect.DeepEqual(got, []string{"^ok", "oku", "kul", "ul$"}) {
		t.Errorf("got %q", got)
	}
	if got := Grams("東京", nil); !reflect.DeepEqual(got, []string{"^東京", "東京$"}) {
		t.Errorf("got %q", got)
	}
	if got := Grams("aaaa", []string{"x"}); !reflect.DeepEqual(got, []string{"x", "^aa", "aaa", "aa$"}) {
		t.Errorf("got %q", got)
	}
}

func FuzzTokensAreInTheText(f *testing.F) {
	for _, text := range []string{
		"", "The user_id of 85kg at 3 PM", "parseConfigFile(src/a.ts)", "ﾊﾟｽﾜｰﾄﾞ ヴ ゙", "2026年5月14日 下午3点", "\xff\xfe x",
		strings.Repeat("l'", 50),
		"\u200d٣٫٤ ８５ｋｇ ㎏ ㍻", "1.2.3-rc1 v1 1,2 +49 1 2", "l'’'eau ''", "ŉİß ﬁ", "ก้ำ 각 ᄀ", "A_b-C.d/e:f@g",
		"5 May 5 May 2020",
	} {
		f.Add(text)
	}
	f.Add("ラーメン 屋 서울 맛집 ภาษาไทย ง่าย")
	f.Fuzz(func(t *testing.T, text string) {
		var a, b Analyzer
		tokens := a.Tokens(text, nil)
		position := -1
		for _, token := range tokens {
			if token.Start < 0 || token.Start >= token.End || token.End > len(text) {
				t.Fatalf("%q: %+v is not in the text", text, token)
			}
			if !utf8.RuneStart(text[token.Start]) || token.End < len(text) && !utf8.RuneStart(text[token.End]) {
				if utf8.ValidString(text) {
					t.Fatalf("%q: %+v begins or ends within a character", text, token)
				}
			}
			if token.Form == "" || len(token.Form) > MaxForm || utf8.ValidString(text) && !utf8.ValidString(token.Form) {
				t.Fatalf("%q: bad form %q", text, token.Form)
			}
			if token.Position < max(position, 0) || token.Position > position+1 {
				t.Fatalf("%q: %+v after position %d", text, token, position)
			}
			position = token.Position
			a.Stems(token.Form, ^Languages(0))
			Grams(token.Form, nil)
			Similarity(token.Form, text)
		}
		if again := a.Tokens(text, nil); !reflect.DeepEqual(tokens, again) {
			t.Fatalf("%q: got %v, then %v", text, tokens, again)
		}
		if other := b.Tokens(text, nil); !reflect.DeepEqual(tokens, other) {
			t.Fatalf("%q: two analysers differ", text)
		}
		Detect(text)
	})
}

// TestLongTextsTakeLinearTime has texts that a careless analyser reads again and again. The test would then not end in
// time.
func TestLongTextsTakeLinearTime(t *testing.T) {
	for _, piece := range []string{"a.", "a_", "1-", "1 ", "+1 ", "aB", "l'", "子供", "ヴァ", "ก้", "\u0301", "약은", "🎂",
		"x", "\xff", "may 14, 2026 ", "1:", "9", "a1", "ﾊﾟ", "l’", "a@"} {
		var a Analyzer
		if len(a.Tokens(strings.Repeat(piece, 1<<18/len(piece)), nil)) > 1<<18 {
			t.Errorf("%q: more tokens than bytes", piece)
		}
	}
}

var sentence = strings.Repeat("We decided to move the nightly backup of the customer database to the new "+
	"server in the basement because the old one ran out of space twice last month. ", 20)

func BenchmarkTokens(b *testing.B) {
	for name, text := range map[string]string{
		"english": sentence,
		"code":    strings.Repeat("parseConfigFile in internal/settings/loader.go returns user_id at 15:00 v1.2.3 ", 20),
		"german":  strings.Repeat("Die Großmutter möchte den Haustürschlüssel für die Wohnung zurück. ", 20),
		"chinese": strings.Repeat("我们决定用消息队列来处理订单，服务器停了两个小时。", 20),
	} {
		b.Run(name, func(b *testing.B) {
			var a Analyzer
			out := a.Tokens(text, nil)
			b.ReportAllocs()
			for b.Loop() {
				out = a.Tokens(text, out[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(out)), "ns/token")
		})
	}
}

func BenchmarkSimilarity(b *testing.B) {
	for b.Loop() {
		Similarity("haustur", "hausturschlussel")
	}
}

func BenchmarkDetect(b *testing.B) {
	for b.Loop() {
		Detect(sentence[:149])
	}
}
