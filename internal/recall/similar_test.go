package recall

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loci-memory/loci"
)

const (
	dup      = loci.Duplicate
	near     = loci.NearDuplicate
	contra   = loci.Contradiction
	nothing  = loci.Likeness("")
	notADup  = loci.Likeness("not a duplicate") // near, against, or nothing: only never the same
	notNear  = loci.Likeness("neither the same nor nearly")
	longText = "The nightly job copies the database of the shop to the second region, checks that every table has as " +
		"many rows as the original and writes a report to the channel of the team"
)

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want loci.Likeness
	}{
		// The same, but for case, spaces and punctuation.
		{"We deploy on Tuesdays.", "we  deploy\non TUESDAYS", dup},
		{"“Quoted” – it’s fine…", "'quoted' it's fine", dup},
		{"STRASSE", "straße", dup}, {"Σίσυφος", "ΣΊΣΥΦΟΣ", dup}, {"Привет, Мир!", "привет мир", dup},
		{"caf\u00e9", "cafe\u0301", dup}, {"東京に行く。", "東京 に 行く", dup}, {"ＡＢＣ１２３", "abc123", dup},
		{"مرحبا، بالعالم", "مرحبا بالعالم", dup},
		{"ฉันชอบชา", "ฉัน ชอบ ชา", dup}, {"मैं चाय पीता हूँ।", "मैं चाय पीता हूँ", dup}, {"5kg of rice", "5 kg of rice", dup},
		{"port ٨٠٨٠", "port 8080", dup},
		{"1,000 users", "1000 users", dup}, {"1'000.5 users", "1000.5 users", dup}, {"1.000,5 m", "1000.5 m", dup},
		{"3,14", "3.14", dup}, {"👍", "👍", dup}, {"...", "...", dup},

		// Nearly the same words.
		{longText, strings.Replace(longText, "nightly", "daily-ish", 1), near},
		{longText, longText + " of the platform", near},
		{"The office of the company is in Berlin near the river", "The office of the company is in Munich near the river",
			near},
		{"Der Server im Keller läuft immer mit Linux und Docker", "Der Server im Keller läuft immer mit Debian und Docker",
			near},
		{"Сервер в подвале работает на Линукс и стоит возле двери", "Сервер в подвале работает на Дебиан и стоит возле двери",
			near},
		{"私たちのオフィスは東京駅の近くにあります", "私たちのオフィスは大阪駅の近くにあります", near},
		{"الخادم الرئيسي للشركة موجود في مدينة برلين قرب النهر", "الخادم الرئيسي للشركة موجود في مدينة ميونخ قرب النهر",
			near},
		{"我们公司的办公室在北京市中心的大楼里", "我们公司的办公室在上海市中心的大楼里", near},
		{"schon geöffnet ist das Café an der Ecke", "schön geöffnet ist das Café an der Ecke", near},
		{"It does not work on the old laptop of Anna", "It doesn't work on the old laptop of Anna", near},

		// Numbers, dates, versions, units, amounts.
		{"The port is 8080", "The port is 9090", contra},
		{"The meeting is on 2026-03-05", "The meeting is on 2026-03-06", contra},
		{"We run Postgres 15.2 in production", "We run Postgres 15.3 in production", contra},
		{"loci v1.2.3 is out", "loci v1.2.4 is out", contra},
		{"The limit is 1.5 seconds", "The limit is 15 seconds", contra}, {"The limit is 5 MB", "The limit is 5 Mb", contra},
		{"The limit is 5 mb", "The limit is 5 MB", dup},
		{"The limit is 5 kg", "The limit is 5 lb", contra}, {"It takes 5 minutes", "It takes 5 hours", contra},
		{"It costs $5 a month", "It costs €5 a month", contra},
		{"It costs 5 % more", "It costs 5 more", contra}, {"It was -5 degrees", "It was 5 degrees", contra},
		{"We meet on Monday", "We meet on Friday", contra},
		{"We meet in March", "We meet in April", contra}, {"She has three cats", "She has four cats", contra},
		{"She has two cats", "She has 2 cats", near},
		{"x < 5 holds for all", "x > 5 holds for all", contra}, {"10² items in the box", "102 items in the box", notADup},
		{"We use C++ here", "We use C here", notADup},
		{"Das Treffen ist am Montag", "Das Treffen ist am Dienstag", contra},
		{"La réunion est en mars", "La réunion est en avril", contra},
		{"Встреча в понедельник утром", "Встреча в пятницу утром", contra},
		{"الاجتماع يوم الاثنين", "الاجتماع يوم الثلاثاء", contra},
		{"बैठक सोमवार को है", "बैठक मंगलवार को है", contra}, {"الاجتماع في الساعة ٥", "الاجتماع في الساعة ٦", contra},
		{"会议在星期三举行", "会议在星期五举行", contra}, {"会議は月曜日の午後です", "会議は火曜日の午後です", contra}, {"会議は3時間かかる", "会議は5時間かかる", contra},
		{"ประชุมวันจันทร์ที่ห้องใหญ่", "ประชุมวันศุกร์ที่ห้องใหญ่", contra}, {"ราคา ๕๐ บาท", "ราคา ๖๐ บาท", contra},
		{"회의는 월요일에 있습니다", "회의는 금요일에 있습니다", contra},

		// Negations and opposites.
		{"We use Redis", "We do not use Redis", contra}, {"Alice likes coffee", "Alice does not like coffee", contra},
		{"Use tabs", "Never use tabs", contra},
		{"Deploys are allowed", "Deploys aren't allowed", contra},
		{"The build is secure today", "The build is insecure today", contra},
		{"Logging is on", "Logging is off", contra}, {"Logging is enabled", "Logging is disabled", contra},
		{"Run it before lunch", "Run it after lunch", contra},
		{"Set debug = true", "Set debug = false", contra}, {"if enabled then start", "if !enabled then start", contra},
		{"coffee with milk", "coffee without milk", contra},
		{"Die Tests laufen", "Die Tests laufen nicht", contra}, {"Licht ist an", "Licht ist aus", contra},
		{"J'aime le café", "Je n'aime pas le café", notADup},
		{"Le service est activé ici", "Le service est désactivé ici", contra},
		{"El servicio está activado", "El servicio no está activado", contra},
		{"O serviço está ativo", "O serviço não está ativo", contra},
		{"Il servizio è attivo", "Il servizio non è attivo", contra},
		{"Сервис работает ночью", "Сервис не работает ночью", contra}, {"Режим включен", "Режим выключен", contra},
		{"Это возможно сегодня", "Это невозможно сегодня", contra},
		{"الخدمة تعمل في الليل", "الخدمة لا تعمل في الليل", contra}, {"الخدمة مفعل الآن", "الخدمة معطل الآن", contra},
		{"मुझे चाय पसंद है", "मुझे चाय पसंद नहीं है", contra}, {"पंखा चालू है", "पंखा बंद है", contra},
		{"我喜欢喝咖啡", "我不喜欢喝咖啡", contra}, {"功能已启用", "功能已禁用", contra}, {"灯是开的", "灯是关的", contra},
		{"この機能は有効です", "この機能は無効です", contra}, {"サーバーは夜に動きます", "サーバーは夜に動きません", contra}, {"ライトはオンです", "ライトはオフです", contra},
		{"ฉันชอบกินกาแฟ", "ฉันไม่ชอบกินกาแฟ", contra}, {"ไฟเปิดอยู่", "ไฟปิดอยู่", contra},
		{"나는 커피를 좋아하지 않습니다", "나는 커피를 좋아합니다", notADup},
		{"השרת עובד בלילה", "השרת לא עובד בלילה", contra},
		{"Ο διακομιστής λειτουργεί τη νύχτα", "Ο διακομιστής δεν λειτουργεί τη νύχτα", contra},
		{"Usługa działa w nocy", "Usługa nie działa w nocy", contra},
		{"Tôi thích cà phê đen", "Tôi không thích cà phê đen", contra}, {"年 ano", "年 año", notADup},

		// Not alike.
		{"We deploy on Tuesdays", "Alice likes coffee", nothing}, {"", "", nothing}, {"", "a", nothing},
		{"...", "!", nothing}, {"👍", "👎", nothing}, {"5", "7", nothing},
		{"Port 8080 is for the dashboard", "Room 12 has a projector", nothing}, {"私は猫が好きです", "サーバーは夜に動く", nothing},
		{"ก", "ข", nothing},
		{"We deploy on Tuesdays", "We deploy on Tuesdays, after the review of the whole team and a long talk about the risks",
			notNear},
	} {
		for i, pair := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			score, got := Compare(pair[0], pair[1])
			bad := got != tt.want
			switch tt.want {
			case notADup:
				bad = got == dup
			case notNear:
				bad = got == dup || got == near
			}
			if bad || score < 0 || score > 1 || (got == dup) != (score == 1) || (got == nothing) != (score == 0) &&
				got != contra {
				t.Errorf("%q, %q (%d): %q %.3f, want %q", tt.a, tt.b, i, got, score, tt.want)
			}
		}
	}
}

// Whatever is written, a text is itself, and the order of the two does not matter.
func TestCompareIsFair(t *testing.T) {
	text := rapid.StringOfN(rapid.RuneFrom([]rune("aB1 2.,'-%!é東ないไม่\u0301ا٥ß\n")), 0, 30, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		if _, like := Compare(a, a); a != "" && like != loci.Duplicate {
			t.Errorf("%q is %q to itself", a, like)
		}
		score, like := Compare(a, b)
		if back, other := Compare(b, a); score != back || like != other {
			t.Errorf("%q, %q: %q %f, and the other way round %q %f", a, b, like, score, other, back)
		}
		if digits := func(s string) string { return strings.Map(onlyDigits, s) }; like == loci.Duplicate &&
			digits(a) != digits(b) {
			t.Errorf("%q and %q have other digits, and are duplicates", a, b)
		}
	})
}

func onlyDigits(c rune) rune {
	if '0' <= c && c <= '9' {
		return c
	}
	if c == '٥' {
		return '5'
	}
	return -1
}

func BenchmarkCompare(b *testing.B) {
	other := strings.Replace(longText, "second", "third", 1)
	for name, pair := range map[string][2]string{"near": {longText, other},
		"unlike": {longText, strings.Repeat("completely other words that say nothing ", 5)},
		"long":   {strings.Repeat(longText+" ", 500), strings.Repeat(other+" ", 500)}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Compare(pair[0], pair[1])
			}
		})
	}
}

// Two of ten words are as much as may differ: the limit itself is near enough.
func TestCompareAtTheLimit(t *testing.T) {
	const a, b = "alpha bravo charlie delta echo", "alpha bravo charlie delta foxtrot"
	if score, like := Compare(a, b); like != loci.NearDuplicate || score != 0.8 {
		t.Errorf("Compare = %v, %q", score, like)
	}
	if score, like := Compare("alpha bravo charlie delta", "alpha bravo charlie foxtrot"); like != "" || score != 0 {
		t.Errorf("one of four words: %v, %q", score, like)
	}
}
