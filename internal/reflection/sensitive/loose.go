package sensitive

import (
	"slices"
	"strings"
)

// How long secrets are whose label says less than "password" or "api key".
const (
	leastMarked   = 12 // behind the mark of a vendor's key
	leastLoose    = 16 // behind "API" or "key"
	leastHash     = 32 // of a key that looks like the hash of a file
	leastNetwork  = 8  // behind "wifi"
	maxKeyPrefix  = 16
	leastKeyMixes = 2 // digits of a marked key
)

// keyMarks part the name of a vendor and its key: "acme_live_…".
var keyMarks = []string{"_live_", "_test_", "_prod_", "_secret_", "_sandbox_", "_sk_", "_pat_", "_production_",
	"_apikey_",
	"-live-", "-secret-"}

// markedKeys finds keys of vendors that are not in the list, by a mark that many of them use.
func (s *scan) markedKeys() {
	for _, mark := range keyMarks {
		s.each(s.fold, mark, func(at int) int {
			from := at + len(mark)
			end := run(s.text, from, alnum)
			start := runBack(s.text, at, maxKeyPrefix, alnum)
			prefix, rest := s.text[start:at], s.text[from:end]
			if end-from < leastMarked || start == at || at-start > maxKeyPrefix || prefix == "pk" ||
				start > 0 && wordChars[s.text[start-1]] || digits[prefix[0]] || isHex(rest) && mark == "_test_" ||
				end < len(s.text) && wordChars[s.text[end]] {
				return end
			}
			if k := kindsOf(rest); !mixed(rest) || k.digit < leastKeyMixes || isFiller(rest) || isTailed(rest) {
				return end
			}
			typ := APIKey
			if mark == "_pat_" {
				typ = Token
			}
			s.add(typ, start, end)
			return end
		})
	}
}

// isTailed reports whether all digits of a text stand at its end, as in "connection2024".
func isTailed(text string) bool {
	return strings.IndexFunc(strings.TrimRight(text, "0123456789"), func(r rune) bool { return '0' <= r && r <= '9' }) < 0
}

// looseKey finds what follows "API" or "key" and a colon, and was made up by a machine.
func (s *scan) looseKey(h hit) {
	if s.afterKind(h, "notkey") || s.cued("token", h.start, notCueNear) {
		return
	}
	s.after(h, func(at int, how link) bool {
		v := s.valueAt(at, how)
		if how == adjacent || how == prose && !v.isRandom() {
			return false
		}
		label := s.fold[h.start:h.end]
		named := isHex(v.text) && len(v.text) >= leastHash && (label == "api" || label == "apis")
		if len(v.text) < leastLoose || !named && (isHex(v.text) || !spread(v.text)) || isUUID(v.text) ||
			!v.isKey(leastLoose) {
			return false
		}
		s.add(APIKey, v.start, v.end)
		return true
	})
}

// networkWords are parts of the names of networks.
var networkWords = set(`net network netz guest guests gast 5g ghz 24ghz 5ghz wifi wlan lan office floor home ext router
 box hotspot mesh iot`)

// network finds the password in "wifi for guests is blueberry-otter-12".
func (s *scan) network(h hit) {
	s.after(h, func(at int, how link) bool {
		if how == adjacent {
			return false
		}
		v := s.valueAt(at, how)
		if v.isNetworkPassword() {
			s.add(Password, v.start, v.end)
			return true
		}
		return how == direct && s.loginAt(at, h.end)
	})
}

// isNetworkPassword reports whether a value is a password, and not the name of a network or a standard.
func (v *value) isNetworkPassword() bool {
	k := kindsOf(v.text)
	if v.link == direct && v.last && isWordAndNumber(v.text) {
		return true
	}
	if len(v.text) < leastNetwork || k.digit == 0 || k.lower+k.upper == 0 || !v.last || !v.isPassword() {
		return false
	}
	parts := strings.FieldsFunc(strings.ToLower(v.text), func(r rune) bool { return strings.ContainsRune("-_.", r) })
	if slices.ContainsFunc(parts, func(p string) bool { return networkWords[p] || strings.HasPrefix(p, "wpa") }) {
		return false
	}
	return len(parts) > 2 || strings.ContainsAny(v.text, "!@#$%&*+?") || len(parts) == 1 && spread(v.text) || v.quoted
}

// routers begin the names that routers give their networks.
var routers = []string{"linksys", "netgear", "fritz", "tplink", "dlink", "speedport", "livebox", "freebox", "vodafone",
	"movistar", "asus", "eero", "orbi", "unifi", "starlink", "channel", "version", "room", "floor"}

// isWordAndNumber reports whether a text is small letters and then digits, as easy passwords of networks are.
func isWordAndNumber(text string) bool {
	n := run(text, 0, classOf("", "az"))
	return n >= leastWord+1 && len(text)-n >= 2 && len(text) >= leastNetwork && run(text, n, digits) == len(text) &&
		!slices.ContainsFunc(routers, func(r string) bool { return strings.HasPrefix(text, r) })
}

// keyword finds the password behind a word that means it only beside the name of a user: "usuario tienda, clave …".
func (s *scan) keyword(h hit) {
	user := s.cued("user", h.start, cueNear)
	s.after(h, func(at int, how link) bool {
		v := s.valueAt(at, how)
		k := kindsOf(v.text)
		strong := k.digit > 0 && k.lower+k.upper > 0 && (k.other+k.symbol > 0 || k.lower*k.upper > 0)
		switch {
		case !v.isPassword() && !(user && how == direct && v.last && len(v.text) >= leastWord && k.digit > 0):
			return false
		case user:
		case how == adjacent || !strong || len(v.text) < leastNetwork || s.afterKind(h, "notkey"),
			isWordy(v.text) && strings.Count(v.text, "-") < 2:
			return false
		}
		s.add(Password, v.start, v.end)
		return true
	})
}

// behindUser finds the password in "netflix: ada@example.org / Plum-Tree-4".
func (s *scan) behindUser(at int) {
	for _, sep := range []string{" / ", " | ", " // "} {
		if !strings.HasPrefix(s.text[at:], sep) {
			continue
		}
		v := s.valueAt(at+len(sep), prose)
		k := kindsOf(v.text)
		strong := k.digit > 0 && k.lower > 0 && (k.upper+k.symbol > 0 || k.other > 1)
		if strong && v.last && v.isPassword() && !strings.Contains(v.text, "@") {
			s.add(Password, v.start, v.end)
		}
		return
	}
}

// isRandom reports whether a value has small letters, capitals and digits that change as in what a machine made up.
func (v *value) isRandom() bool {
	k := kindsOf(v.text)
	return len(v.text) >= leastNetwork && k.lower > 1 && k.upper > 1 && k.digit > 1 && spread(v.text)
}
