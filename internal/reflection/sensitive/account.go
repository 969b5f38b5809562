package sensitive

import (
	"slices"
	"strings"
)

// ibanLengths are the lengths of account numbers by country.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16,
	"BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28,
	"CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24,
	"FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18,
	"GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23,
	"IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32,
	"LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24,
	"ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
	"PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
	"SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26,
	"UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

// ibans finds account numbers by their check digits.
func (s *scan) ibans() {
	for i := 0; i+4 < len(s.text); i++ {
		if !digits[s.text[i+2]] || !digits[s.text[i+3]] || i > 0 && wordChars[s.text[i-1]] {
			continue
		}
		length := ibanLengths[strings.ToUpper(s.text[i:i+2])]
		if length == 0 {
			continue
		}
		end, number := i, make([]byte, 0, 34)
		for end < len(s.text) && len(number) < length {
			c := s.fold[end]
			switch {
			case alnum[c]:
				number = append(number, c)
			case (c == ' ' || c == '-') && len(number)%2 == 0 && alnum[s.text[end-1]]:
			default:
				c = 0
			}
			if c == 0 {
				break
			}
			end++
		}
		if len(number) == length && (end == len(s.text) || !alnum[s.text[end]]) && mod97(number) == 1 {
			s.add(IBAN, i, end)
			s.accounts = append(s.accounts, Match{IBAN, i, end})
			i = end
		}
	}
}

// mod97 is the rest of ISO/IEC 7064, MOD 97-10.
func mod97(number []byte) int {
	rest := 0
	for k := range number {
		c := number[(k+4)%len(number)]
		if digits[c] {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'a') + 10) % 97
		}
	}
	return rest
}

var mailChars = classOf("._%+-", "09", "AZ", "az")

// Of addresses, in bytes.
const (
	maxLocal = 64
	maxHost  = 255
)

// emails finds addresses of people.
func (s *scan) emails() {
	s.each(s.text, "@", func(at int) int {
		start := at
		for start > 0 && at-start < maxLocal && (mailChars[s.text[start-1]] ||
			s.text[start-1] >= 0x80 && s.lettersBefore(start)) {
			start--
		}
		start += len(s.text[start:at]) - len(strings.TrimLeft(s.text[start:at], ".-%+"))
		end := at + 1
		for end < len(s.text) && end-at < maxHost && (alnum[s.text[end]] || s.text[end] == '.' || s.text[end] == '-' ||
			s.text[end] >= 0xc3 && s.text[end] <= 0xc9 || end > at+1 && s.text[end] >= 0x80 && s.text[end] < 0xc0 &&
			s.text[end-1] >= 0xc3 && s.text[end-1] <= 0xc9) { // "müller.example"
			end++
		}
		host := strings.TrimRight(s.text[at+1:end], ".-")
		end = at + 1 + len(host)
		i := strings.LastIndexByte(host, '.')
		if start == at || i <= 0 || len(host)-i < 3 || run(host, i+1, digits) > i+1 || strings.Contains(host, "..") ||
			!lettersOnly(host[i+1:]) || s.isRemote(start, end) {
			return end
		}
		s.add(Email, start, end)
		s.behindUser(end)
		return end
	})
}

// lettersBefore reports whether the character before a place is a letter of a script with spaces, as in "josé@".
func (s *scan) lettersBefore(at int) bool {
	i := s.wordAt(at - 1)
	return i < len(s.words) && s.words[i].start < at && s.words[i].end >= at
}

func lettersOnly(text string) bool { return run(text, 0, classOf("", "az", "AZ")) == len(text) }

// isRemote reports whether an address is that of a repository or a computer: "git@host:path", "ssh deploy@host".
func (s *scan) isRemote(start, end int) bool {
	if end+1 < len(s.text) && s.text[end] == ':' && (alnum[s.text[end+1]] || strings.IndexByte("/~", s.text[end+1]) >= 0) {
		return true
	}
	before := strings.TrimRight(s.fold[max(0, start-8):start], " ")
	return slices.ContainsFunc([]string{"ssh", "scp", "sftp", "rsync", "://"}, func(command string) bool {
		return strings.HasSuffix(before, command)
	})
}
