package recall

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// value is a word that says which of several things holds, of which only one can.
type value struct {
	group int // negation, or one of opposites
	side  int
	word  string
}

const negation = -1

// turning are the beginnings that turn a word round.
var turning = []string{"un", "in", "im", "ir", "il", "dis", "non", "nicht", "nie", "не", "без", "бес"}

// negations are words that deny. Short words that mean something else in another of these languages are left out.
const negations = `
	not no never none nobody nothing neither nor cannot without dont cant wont isnt arent wasnt werent doesnt didnt hasnt havent hadnt
	shouldnt couldnt wouldnt mustnt neednt aint forbidden prohibited
	nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne nein
	ne pas jamais aucun aucune sans rien personne non
	nunca jamás nadie ningún ninguno ninguna sin tampoco não nem nenhum nenhuma sem ninguém
	mai nessun nessuno nessuna senza niente né niet geen nooit zonder niemand
	inte aldrig ingen inga inget utan ikke aldri uten ingenting aldrig uden ei eivät ilman älä
	nie bez nigdy żaden není nikdy žádný nem nincs soha nélkül değil yok asla hayır niciodată fără
	не ни нет без нельзя никогда никто ничего немає ніколи ні няма никога
	δεν μη μην όχι ποτέ χωρίς لا لم لن ليس ليست غير بدون بلا دون ممنوع نه نیست بدون هرگز نمی نہیں بغیر
	לא אין בלי ללא नहीं मत ना बिना नही না নেই নয় இல்லை నాహి లేదు ಇಲ್ಲ അല്ല ഇല്ല
	không chưa chẳng đừng tidak bukan jangan tanpa belum 안 못`

// opposites are groups of words of which one can hold, each side with its translations, sides behind "|".
var opposites = []string{
	"on an вкл включен включена включено включены चालू تشغيل مفعل aan på encendido allumé acceso | off aus выкл выключен выключена выключено выключены बंद إيقاف معطل uit av apagado éteint spento",
	"enable enabled activate activated aktiviert activé activée activado activada attivo ativado | disable disabled deactivate deactivated deaktiviert désactivé désactivée desactivado desactivada disattivo desativado",
	"true wahr vrai verdadero vero правда सही صحيح | false falsch faux falso ложь गलत خطأ",
	"yes ja oui sí si sim да हाँ نعم evet tak | no nein non não нет नहीं لا hayır nie",
	"allow allowed permit permitted accept accepted erlaubt autorisé permitido разрешено مسموح | deny denied forbid forbidden prohibited block blocked reject rejected refuse refused verboten interdit prohibido запрещено ممنوع",
	"always immer toujours siempre sempre всегда دائما हमेशा zawsze altijd | never nie niemals jamais nunca mai никогда أبدا कभी nigdy nooit",
	"start started begin started | stop stopped end ended finish finished",
	"open opened offen geöffnet ouvert abierto aperto открыт открыта открыто مفتوح खुला | close closed geschlossen fermé cerrado chiuso закрыт закрыта закрыто مغلق",
	"before vor avant antes prima до قبل पहले | after nach après después dopo после بعد बाद",
	"more mehr plus más mais più больше أكثر अधिक | less fewer weniger moins menos meno меньше أقل कम",
	"most maximum max upper höchstens | least minimum min lower mindestens",
	"with mit avec con com с مع | without ohne sans sin sem senza без بدون",
	"increase increased raise rise add added grow | decrease decreased reduce reduced fall remove removed drop dropped",
	"include included | exclude excluded", "public öffentlich publique público публичный عام | private privat privée privado приватный خاص",
	"first erste premier primero primo первый أول पहला | last letzte dernier último ultimo последний آخر आखिरी | second zweite deuxième segundo второй | third dritte troisième tercero третий",
	"high higher hoch alto élevé высокий | low lower niedrig bajo basso низкий", "above over über | below under unter",
	"left links gauche izquierda sinistra слева левый يسار बायाँ | right rechts droite derecha destra справа правый يمين दायाँ",
	"north nord norte север شمال उत्तर | south sud süd sur юг جنوب दक्षिण | east ost est este восток شرق पूर्व | west ouest oeste запад غرب पश्चिम",
	"pass passed succeed success succeeded | fail failed failure", "active aktiv actif activo активен نشط | inactive inaktiv inactif inactivo неактивен",
	"required mandatory must | optional", "like love loves prefer | dislike hate avoid", "buy bought | sell sold", "up | down", "in | out",
	"hot warm | cold cool", "light | dark", "import | export", "read | write", "morning | evening | afternoon | night", "am | pm",
	"today heute hoy oggi сегодня اليوم आज | tomorrow morgen demain mañana domani завтра غدا कल | yesterday gestern hier ayer ieri вчера أمس",
	weekdays, months, amounts, spans, masses, lengths, sizes, "usd dollar доллар دولار डॉलर | eur euro евро يورو यूरो | gbp pound фунт | jpy yen иена | inr rupee रुपये | chf franken | rub рубль рублей рубля | cny yuan",
	"celsius | fahrenheit | kelvin", "< ≤ | > ≥", "= | ≠", "+ | −", "$ | € | £ | ¥ | ₹ | ₽ | ₩", "👍 ✅ ✔ ✓ | 👎 ❌ ✗ ✘ ✖",
}

const (
	weekdays = `monday mon montag lundi lunes lunedì segunda понедельник понедельникам الاثنين सोमवार poniedziałek | tuesday tue tues dienstag mardi martes martedì terça вторник вторникам الثلاثاء मंगलवार wtorek |
		wednesday wed mittwoch mercredi miércoles mercoledì quarta среда среду средам الأربعاء बुधवार środa | thursday thu thurs donnerstag jeudi jueves giovedì quinta четверг четвергам الخميس गुरुवार czwartek |
		friday fri freitag vendredi viernes venerdì sexta пятница пятницу пятницам الجمعة शुक्रवार piątek | saturday sat samstag sonnabend samedi sábado sabato суббота субботу субботам السبت शनिवार sobota |
		sunday sun sonntag dimanche domingo domenica воскресенье воскресеньям الأحد रविवार niedziela | weekday | weekend`
	months = `january jan januar janvier enero gennaio janeiro январь января يناير जनवरी | february feb februar février febrero febbraio fevereiro февраль февраля فبراير फरवरी |
		march mar märz mars marzo março март марта مارس मार्च | april apr avril abril aprile апрель апреля أبريل अप्रैल | may mai mayo maggio maio май мая مايو मई |
		june jun juni juin junio giugno junho июнь июня يونيو जून | july jul juli juillet julio luglio julho июль июля يوليو जुलाई | august aug août agosto август августа أغسطس अगस्त |
		september sep sept septembre septiembre settembre setembro сентябрь сентября سبتمبر सितंबर | october oct oktober octobre octubre ottobre outubro октябрь октября أكتوبر अक्टूबर |
		november nov novembre noviembre novembro ноябрь ноября نوفمبر नवंबर | december dec dezember décembre diciembre dicembre dezembro декабрь декабря ديسمبر दिसंबर`
	amounts = `zero null ноль صفر शून्य | one once single ein eins eine un une uno una um один одна واحد एक | two twice double zwei deux dos due dois два две اثنان اثنين दो | three triple drei trois tres tre três три ثلاثة ثلاث तीन |
		four vier quatre cuatro quattro quatro четыре أربعة أربع चार | five fünf cinq cinco cinque пять خمسة خمس पाँच पांच | six sechs seis sei шесть ستة ست छह | seven sieben sept siete sette sete семь سبعة سبع सात |
		eight acht huit ocho otto oito восемь ثمانية ثماني आठ | nine neun neuf nueve nove девять تسعة تسع नौ | ten zehn dix diez dieci dez десять عشرة عشر दस | eleven elf onze undici одиннадцать | twelve dozen zwölf douze doce dodici двенадцать |
		twenty zwanzig vingt veinte venti vinte двадцать عشرون बीस | thirty dreißig trente treinta trenta тридцать | forty vierzig quarante cuarenta | fifty fünfzig cinquante cincuenta пятьдесят | hundred hundert cent cien cento сто مائة सौ |
		thousand tausend mille mil тысяча тысяч ألف हज़ार | million millionen millón milione milhão миллион مليون | billion milliarde milliard миллиард مليار | half halb demi medio mezzo пол نصف आधा | quarter viertel quart cuarto`
	spans = `millisecond ms msec миллисекунд | microsecond µs us | nanosecond ns | second sec sekunde sekunden seconde secondes segundo segundos secondi секунд секунды ثانية ثوان सेकंड s |
		minute min minuten minutes minutos minuti минут минуты دقيقة دقائق मिनट | hour hr stunde stunden heure heures hora horas ora ore час часа часов ساعة ساعات घंटे घंटा h | day tag tage tagen jour jours día días giorno giorni dia dias день дня дней يوم أيام दिन d |
		week woche wochen semaine semaines semana semanas settimana settimane неделя недели недель أسبوع أسابيع सप्ताह हफ्ते | month monat monate monaten mois mes meses mese mesi mês месяц месяца месяцев شهر أشهر महीने महीना | year jahr jahre jahren an ans année années año años anno anni ano anos год года лет سنة سنوات साल वर्ष |
		daily täglich quotidien diario ежедневно | weekly wöchentlich semanal еженедельно | monthly monatlich mensual ежемесячно | yearly annual annually jährlich anual ежегодно | hourly stündlich`
	masses  = "mg | gram g gramm грамм | kilogram kg kilo кг | ton tonne t тонн | ounce oz | pound lb lbs"
	lengths = "mm | cm | meter metre m метр метров | kilometer kilometre km км | mile mi | foot feet ft | inch yard"
	sizes   = "byte b bit | kilobyte kb | megabyte mb мб | gigabyte gb гб | terabyte tb тб | kib | mib | gib | tib | hz | khz | mhz | ghz"
)

// numberWords are those that are numbers and nothing else, as their keys.
var numberWords = map[string]string{"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}

// unspacedNegations and unspacedOpposites stand within texts that have no spaces between words. What is part of a longer one of these
// does not count.
const unspacedNegations = `不 没 沒 未 非 勿 别 別 ない なく なか ません ずに まい ไม่ อย่า ห้าม ไร้ 않 없 아니 못 ບໍ່ មិន ဘူး`

var unspacedOpposites = []string{
	"開 开 | 関 关 關 閉 闭", "有 | 無 无 没 沒", "是 はい | 否 いいえ", "前 | 後 后", "上 | 下", "左 | 右", "大 | 小", "多 | 少", "高 | 低", "早 | 晚 遅 晩 迟", "新 | 旧 舊", "真 | 假 偽 伪", "对 | 错",
	"启 啟 允 許 许 可 | 禁 止", "増 增 加 | 減 减", "男 | 女", "买 買 | 卖 賣 売", "入 | 出", "東 东 | 西 | 南 | 北", "オン | オフ", "成功 | 失敗 失败", "胜 勝 | 败 敗 負", "公 | 私", "始 | 終 终",
	"一 | 二 两 兩 | 三 | 四 | 五 | 六 | 七 | 八 | 九 | 十 | 百 | 千 | 万 萬 | 億 亿 | 半", "月曜 | 火曜 | 水曜 | 木曜 | 金曜 | 土曜 | 日曜", "年 | 月 か月 ヶ月 | 日 天 | 時 时 小时 時間 | 分 | 秒 | 週 周 星期",
	"今 | 明 | 昨", "円 | 元 | 美元 ドル", "公斤 千克 キロ | 斤 | 克 グラム | 磅 ポンド", "公里 | 米 メートル | 英里 マイル",
	"เปิด | ปิด", "ใช่ | ไม่ใช่", "ก่อน | หลัง", "มาก | น้อย", "ขึ้น | ลง", "ซ้าย | ขวา", "เสมอ ทุกครั้ง | ไม่เคย", "เข้า | ออก", "ซื้อ | ขาย", "เพิ่ม | ลด",
	"จันทร์ | อังคาร | พุธ | พฤหัส | ศุกร์ | เสาร์ | อาทิตย์", "หนึ่ง | สอง | สาม | สี่ | ห้า | หก | เจ็ด | แปด | เก้า | สิบ | ร้อย | พัน", "วินาที | นาที | ชั่วโมง | วัน | สัปดาห์ | เดือน | ปี",
	"มกราคม | กุมภาพันธ์ | มีนาคม | เมษายน | พฤษภาคม | มิถุนายน | กรกฎาคม | สิงหาคม | กันยายน | ตุลาคม | พฤศจิกายน | ธันวาคม", "บาท | ดอลลาร์ | ยูโร",
	"있 | 없", "켜 켜짐 | 꺼 꺼짐", "월요일 | 화요일 | 수요일 | 목요일 | 금요일 | 토요일 | 일요일", "활성 | 비활성", "허용 | 금지", "항상 | 절대", "오전 | 오후", "초 | 시간 | 개월 | 분",
}

// The lists are made when the first two texts are compared, which most commands never do.
var (
	spaced = sync.OnceValue(func() map[string][]value {
		return byWord(negations, opposites, func(s string) string { return Read(s).tokens[0].key })
	})
	unspaced = sync.OnceValue(func() map[string][]value { return byWord(unspacedNegations, unspacedOpposites, foldWord) })
	// patterns are the words of unspaced, the longest first.
	patterns = sync.OnceValue(func() []string { return longest(unspaced()) })
)

// byWord lists what each word says, by what key makes of it.
func byWord(negations string, opposites []string, key func(string) string) map[string][]value {
	list := map[string][]value{}
	add := func(group, side int, words string) {
		for _, w := range strings.Fields(words) {
			v := value{group, side, key(w)}
			if !slices.Contains(list[v.word], v) {
				list[v.word] = append(list[v.word], v)
			}
		}
	}
	add(negation, 0, negations)
	for group, words := range opposites {
		for side, one := range strings.Split(words, "|") {
			add(group, side, one)
		}
	}
	return list
}

func longest(values map[string][]value) []string {
	list := make([]string, 0, len(values))
	for word := range values {
		list = append(list, word)
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	return list
}

// values counts the words that say which of several things holds.
func (r *Text) values() map[value]int {
	counts := map[value]int{}
	for _, t := range r.tokens {
		for _, v := range spaced()[t.key] {
			counts[v]++
		}
		if t.text == "!" || strings.HasPrefix(t.text, "n'") { // French: n'est
			counts[value{group: negation, word: t.key}]++
		}
	}
	if r.unspaced == "" {
		return counts
	}
	text := r.unspaced
	for _, p := range patterns() {
		n := strings.Count(text, p)
		if n == 0 {
			continue
		}
		text = strings.ReplaceAll(text, p, "\x00")
		for _, v := range unspaced()[p] {
			if v.group != negation {
				v.group += len(opposites)
			}
			counts[v] += n
		}
	}
	return counts
}
