package sensitive

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// id finds numbers that states give people, by their form and their check digits.
func (s *scan) id(list []group, i int) int {
	for _, try := range []func([]group, int) (n, more int){s.ssn, s.cpf, s.nir, s.china, s.taxID, s.myNumber, s.dni} {
		n, more := try(list, i)
		if n == 0 {
			continue
		}
		start, end := list[i].start, list[i+n-1].end+more
		if s.free(start, end) {
			s.add(IDNumber, start, end)
			return n
		}
	}
	return 0
}

// ssn is the number of the social security of the United States.
func (s *scan) ssn(list []group, i int) (n, more int) {
	if number, ok := s.join(list, i, 3, "- "); ok && sized(list, i, 3, 2, 4) && isSSN(number) {
		if list[i].sep == "-" || s.cued("ssn", list[i].start, cueNear) {
			return 3, 0
		}
	}
	if list[i].size() == 9 && s.cued("ssn", list[i].start, cueNear) && isSSN(list[i].text(s)) {
		return 1, 0
	}
	return 0, 0
}

func isSSN(number string) bool {
	return number[:3] != "000" && number[:3] != "666" && number[0] != '9' && number[3:5] != "00" && number[5:] != "0000"
}

// cpf is the number of the taxpayers of Brazil, with two check digits.
func (s *scan) cpf(list []group, i int) (n, more int) {
	if sized(list, i, 3, 3, 3, 2) && list[i].sep == "." && list[i+1].sep == "." && list[i+2].sep == "-" {
		number := ""
		for k := range 4 {
			number += list[i+k].text(s)
		}
		if isCPF(number) {
			return 4, 0
		}
	}
	if list[i].size() == 11 && s.cued("cpf", list[i].start, cueNear) && isCPF(list[i].text(s)) {
		return 1, 0
	}
	return 0, 0
}

func isCPF(number string) bool {
	for length := 9; length < 11; length++ {
		sum := 0
		for k := range length {
			sum += int(number[k]-'0') * (length + 1 - k)
		}
		if sum*10%11%10 != int(number[length]-'0') {
			return false
		}
	}
	return strings.Trim(number, number[:1]) != ""
}

// nir is the number of the social security of France: 13 digits and a key of two.
func (s *scan) nir(list []group, i int) (n, more int) {
	number, n := s.whole(list, i, " ", 1, 2, 2, 2, 3, 3, 2)
	if n == 0 || number[0] != '1' && number[0] != '2' || number[3:5] == "00" || number[3:5] > "12" {
		return 0, 0
	}
	body, _ := strconv.Atoi(number[:13])
	key, _ := strconv.Atoi(number[13:])
	if 97-body%97 != key {
		return 0, 0
	}
	return n, 0
}

// china is the number of the identity cards of China: 17 digits with a date of birth, and a check digit or "X".
func (s *scan) china(list []group, i int) (n, more int) {
	g := list[i]
	if g.size() != 18 && g.size() != 17 {
		return 0, 0
	}
	number := g.text(s)
	if g.size() == 17 {
		if g.end >= len(s.text) || s.fold[g.end] != 'x' {
			return 0, 0
		}
		number, more = number+"X", 1
	}
	weights := [...]int{7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2}
	sum := 0
	for k, w := range weights {
		sum += w * int(number[k]-'0')
	}
	month, day := number[10:12], number[12:14]
	if "10X98765432"[sum%11] != number[17] || number[6:8] != "19" && number[6:8] != "20" || month < "01" || month > "12" ||
		day < "01" || day > "31" {
		return 0, 0
	}
	return 1, more
}

// taxID is the number of the taxpayers of Germany: 11 digits, of which the last checks the others.
func (s *scan) taxID(list []group, i int) (n, more int) {
	number, n := s.whole(list, i, " ", 2, 3, 3, 3)
	if n == 0 || number[0] == '0' || !isTaxID(number) || !s.cued("taxid", list[i].start, cueNear) {
		return 0, 0
	}
	return n, 0
}

// isTaxID reports whether the last digit is that of ISO/IEC 7064, MOD 11,10.
func isTaxID(number string) bool {
	product := 10
	for k := range 10 {
		sum := cmp.Or((int(number[k]-'0')+product)%10, 10)
		product = sum * 2 % 11
	}
	return (11-product)%10 == int(number[10]-'0')
}

// myNumber is the number of the people of Japan: 12 digits, of which the last checks the others.
func (s *scan) myNumber(list []group, i int) (n, more int) {
	number, n := s.whole(list, i, " -", 4, 4, 4)
	if n == 0 || !s.cued("mynumber", list[i].start, cueNear) {
		return 0, 0
	}
	sum := 0
	for k := range 11 {
		weight := k + 2
		if k >= 6 {
			weight = k - 4
		}
		sum += weight * int(number[10-k]-'0')
	}
	check := 11 - sum%11
	if check > 9 {
		check = 0
	}
	if check != int(number[11]-'0') {
		return 0, 0
	}
	return n, 0
}

// dniLetters are the letters of the identity numbers of Spain, by the rest of a division by 23.
const dniLetters = "TRWAGMYFPDXBNJZSQVHLCKE"

func (s *scan) dni(list []group, i int) (n, more int) {
	g := list[i]
	if g.size() != 8 || !s.cued("dni", g.start, cueNear) {
		return 0, 0
	}
	at := g.end
	if at < len(s.text) && (s.text[at] == '-' || s.text[at] == ' ') {
		at++
	}
	number, _ := strconv.Atoi(g.text(s))
	if at >= len(s.text) || dniLetters[number%23] != strings.ToUpper(s.text[at : at+1])[0] {
		return 0, 0
	}
	return 1, at + 1 - g.end
}

// idWithLetters finds numbers that begin with letters: those of foreigners in Spain, of the national insurance of the
// United Kingdom, and others after a word that says what they are.
func (s *scan) idWithLetters(g group) {
	start := g.start
	for start > 0 && g.start-start < 4 && alnum[s.text[start-1]] && !digits[s.text[start-1]] {
		start--
	}
	end := run(s.text, g.end, alnum)
	token := strings.ToUpper(s.text[start:end])
	if len(token) == 9 && strings.IndexByte("XYZ", token[0]) >= 0 && g.size() == 7 {
		number, _ := strconv.Atoi(strconv.Itoa(strings.IndexByte("XYZ", token[0])) + token[1:8])
		if dniLetters[number%23] == token[8] && s.free(start, end) {
			s.add(IDNumber, start, end)
		}
	}
	if len(token) == 9 && g.start-start == 2 && g.size() == 6 && token[8] >= 'A' && token[8] <= 'D' &&
		s.cued("nino", start, cueNear) && s.free(start, end) {
		s.add(IDNumber, start, end)
	}
}

// documents are the words before a number that has letters, and what it is.
var documents = []struct {
	kind string
	typ  Type
}{{"passport", Passport}, {"idcard", IDNumber}, {"nino", IDNumber}}

// Of the numbers of documents, in characters.
const (
	leastDocument = 6
	mostDocument  = 18
	documentNear  = 44
	leastMixed    = 8 // of a number with few digits, as those of Germany and of many newer passports
)

// numberWords stand between the name of a document and its number.
var numberWords = set(`no nr number num n nº n° numero numéro número nummer id is lautet ist es est é`)

// named reports whether only a word for a number or a mark stands between two places.
func (s *scan) named(from, to int) bool {
	marks := func(r rune) bool { return strings.ContainsRune(" :=#.()°º-*：は是为番号码", r) }
	rest := strings.FieldsFunc(s.fold[from:to], marks)
	return len(rest) == 0 && to-from > 1 ||
		len(rest) > 0 && !slices.ContainsFunc(rest, func(w string) bool { return !numberWords[w] })
}

// passports finds the numbers that follow the name of a document.
func (s *scan) passports() {
	for _, d := range documents {
		list := s.cues[d.kind]
		for i, c := range list {
			next := len(s.text)
			if i+1 < len(list) {
				next = list[i+1].start
			}
			s.document(c, next, d.typ)
		}
	}
}

// document finds the numbers behind the name of a document. next is where another name begins.
func (s *scan) document(c hit, next int, typ Type) {
	limit, most := s.forward(c.end, documentNear), 1
	if manyDocuments[s.fold[c.start:c.end]] {
		most = maxCodes
	}
	for i := c.end; i < limit && s.text[i] != '\n'; {
		if !alnum[s.text[i]] || i > 0 && (wordChars[s.text[i-1]] && s.text[i-1] != '-' || s.text[i-1] == '/') {
			i++
			continue
		}
		end := run(s.text, i, alnum)
		token := s.text[i:end]
		if typ == IDNumber {
			end, token = s.spaced(i, end)
		}
		k := kindsOf(token)
		least := 4
		switch mixed := k.upper > 0 && len(token) >= leastMixed; {
		case mixed && s.named(c.end, i):
			least = 1
		case mixed && len(token) <= leastMixed+1 && typ == Passport:
			least = 2
		}
		if len(token) >= leastDocument && len(token) <= mostDocument && k.digit >= least && k.lower == 0 && s.free(i, end) &&
			!s.touchesMore(end) && !isYearly(token) && (k.upper > 0 || len(token) >= leastMixed || s.named(c.end, i)) {
			s.add(typ, i, end)
			if most--; most == 0 {
				return
			}
			limit = min(next, s.forward(end, documentNear))
		}
		i = end
	}
}

// manyDocuments are words before the numbers of more than one document.
var manyDocuments = set("passports reisepässe pässe passeports pasaportes passaportes")

// forward returns the place so many characters behind another.
func (s *scan) forward(at, characters int) int {
	for ; characters > 0 && at < len(s.text); characters-- {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return at
}

// spaced joins a token with the short groups that follow it: "AB 12 34 56 C".
func (s *scan) spaced(start, end int) (to int, token string) {
	token = s.text[start:end]
	for end+1 < len(s.text) && s.text[end] == ' ' && len(token) < mostDocument {
		stop := run(s.text, end+1, capitals)
		if stop == end+1 || stop-end > 5 || stop < len(s.text) && alnum[s.text[stop]] {
			break
		}
		token += s.text[end+1 : stop]
		end = stop
	}
	return end, token
}

// isYearly reports whether a token is a date without marks: 20260305.
func isYearly(token string) bool {
	return len(token) == 8 && (token[:2] == "20" || token[:2] == "19") && run(token, 0, digits) == 8 && token[4:6] <= "12"
}
