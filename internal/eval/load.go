package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// These are the files of a set.
const (
	corpusFile  = "corpus.jsonl"
	queriesFile = "queries.jsonl"
)

// corpusLine is one line of corpus.jsonl. Fields that it does not name are ignored, as sets have more of them.
type corpusLine struct {
	Conv    string `json:"conv"`
	ID      string `json:"id"`
	Session string `json:"session"`
	Turn    int    `json:"turn"`
	Speaker string `json:"speaker"`
	Time    string `json:"time"`
	Text    string `json:"text"`
}

type queryLine struct {
	Conv     string   `json:"conv"`
	QID      string   `json:"qid"`
	Question string   `json:"question"`
	Type     string   `json:"type"`
	Gold     []string `json:"gold"`
	AskedAt  string   `json:"asked_at"`
	Split    string   `json:"split"`
}

type goldenLine struct {
	Query    string   `json:"query"`
	MustFind []string `json:"must_find"`
}

// Load reads a set: corpus.jsonl and queries.jsonl in dir. Conversations, units and questions keep the order of the
// files. NotFound if a file is missing. Invalid, with file and line, for anything that a score could not be computed
// from: an id that appears twice, a missing text, a question without an answer in its conversation.
func Load(dir string) (Set, error) {
	l := loader{set: Set{Name: filepath.Base(filepath.Clean(dir))}, at: map[string]int{}, conv: map[string]string{},
		asked: map[string]bool{}}
	if err := eachLine(filepath.Join(dir, corpusFile), false, l.unit); err != nil {
		return Set{}, err
	}
	if err := eachLine(filepath.Join(dir, queriesFile), false, l.question); err != nil {
		return Set{}, err
	}
	if l.set.Questions() == 0 {
		return Set{}, loci.Errorf(loci.Invalid, "%s has no questions", filepath.Join(dir, queriesFile))
	}
	return l.set, nil
}

type loader struct {
	set   Set
	at    map[string]int    // index of each conversation
	conv  map[string]string // conversation of each unit
	asked map[string]bool
}

func (l *loader) unit(_ int, in corpusLine) error {
	if err := present("conv", in.Conv, "id", in.ID, "text", in.Text); err != nil {
		return err
	}
	if _, twice := l.conv[in.ID]; twice {
		return loci.FieldErrorf("id", "%q appears twice", in.ID)
	}
	at, err := readTime("time", in.Time)
	if err != nil {
		return err
	}
	i, known := l.at[in.Conv]
	if !known {
		i = len(l.set.Conversations)
		l.at[in.Conv] = i
		l.set.Conversations = append(l.set.Conversations, Conversation{Name: in.Conv})
	}
	l.conv[in.ID] = in.Conv
	c := &l.set.Conversations[i]
	c.Units = append(c.Units, Unit{ID: in.ID, Session: in.Session, Turn: in.Turn, Speaker: in.Speaker, Time: at,
		Text: in.Text})
	return nil
}

func (l *loader) question(_ int, in queryLine) error {
	if err := present("conv", in.Conv, "qid", in.QID, "question", in.Question, "type", in.Type); err != nil {
		return err
	}
	if l.asked[in.QID] {
		return loci.FieldErrorf("qid", "%q appears twice", in.QID)
	}
	i, known := l.at[in.Conv]
	if !known {
		return loci.FieldErrorf("conv", "%q is not in %s", in.Conv, corpusFile)
	}
	if in.Type == allTypes {
		return loci.FieldErrorf("type", "must not be %q, which stands for all types", allTypes)
	}
	gold, err := distinct("gold", in.Gold)
	if err != nil && (in.Type != Apart || len(in.Gold) > 0) { // such a question has no answer
		return err
	}
	for _, id := range gold {
		if l.conv[id] != in.Conv {
			return loci.FieldErrorf("gold", "has %q, which is not in the conversation %q", id, in.Conv)
		}
	}
	asked, err := readTime("asked_at", in.AskedAt)
	if err != nil {
		return err
	}
	l.asked[in.QID] = true
	c := &l.set.Conversations[i]
	c.Questions = append(c.Questions, Question{Conv: in.Conv, ID: in.QID, Text: in.Question, Type: in.Type, Gold: gold,
		AskedAt: asked, Split: in.Split})
	return nil
}

// LoadGolden reads a person's own questions: JSON lines of {"query": "…", "must_find": ["ID", …]}. It returns one
// conversation without units, because these are in the person's Loci. The id of a question is the number of its line,
// and Gold is what the file has: the caller resolves short ids. Invalid, with file and line, for a line of another
// form.
func LoadGolden(file string) (Set, error) {
	name := filepath.Base(file)
	c := Conversation{Name: name}
	err := eachLine(file, true, func(number int, in goldenLine) error {
		if err := present("query", in.Query); err != nil {
			return err
		}
		gold, err := distinct("must_find", in.MustFind)
		if err != nil {
			return err
		}
		c.Questions = append(c.Questions, Question{Conv: name, ID: strconv.Itoa(number), Text: in.Query, Type: "golden",
			Gold: gold})
		return nil
	})
	if err == nil && len(c.Questions) == 0 {
		err = loci.Errorf(loci.Invalid, "%s has no questions", file)
	}
	return Set{Name: name, Conversations: []Conversation{c}}, err
}

// eachLine calls fn with the JSON object of each line of a file that is not blank, and with its number. exact rejects
// fields that T does not have. It adds file and line to the errors of fn.
func eachLine[T any](file string, exact bool, fn func(number int, in T) error) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return loci.WrapError(loci.NotFound, err, "%s does not exist", file)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	number := 0
	return jsonlines.Each(bufio.NewReader(f), func(line []byte) error {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		var in T
		err := decode(line, &in, exact)
		if err == nil {
			err = fn(number, in)
		}
		if err != nil {
			return At(file, number, err)
		}
		return nil
	})
}

// At adds a place in a file to an error about one of its lines.
func At(file string, line int, err error) error {
	return loci.WrapError(loci.CodeOf(err), err, "%s:%d: %s", file, line, err)
}

// decode reads one JSON object. exact rejects fields that into does not have.
func decode(line []byte, into any, exact bool) error {
	if err := loci.CheckJSON(line); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	if exact {
		dec.DisallowUnknownFields()
	}
	if err := dec.Decode(into); err != nil {
		return loci.WrapError(loci.Invalid, err, "not a JSON object of the expected form: %s", err)
	}
	if dec.InputOffset() != int64(len(line)) {
		return loci.Errorf(loci.Invalid, "there is more text after the JSON object")
	}
	return nil
}

// present takes pairs of a field and its value, and rejects the first empty one.
func present(fields ...string) error {
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] == "" {
			return loci.FieldErrorf(fields[i], "is missing or empty")
		}
	}
	return nil
}

// distinct returns ids without repetitions. At least one is required.
func distinct(field string, ids []string) ([]string, error) {
	switch {
	case slices.Contains(ids, ""):
		return nil, loci.FieldErrorf(field, "has an empty id")
	case len(ids) == 0:
		return nil, loci.FieldErrorf(field, "must name at least one id")
	}
	return loci.Unique(ids), nil
}

// readTime reads a time. Without a time zone it is in UTC. No text means no time.
func readTime(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := loci.ParseTime(text, time.UTC)
	if err != nil {
		return t, loci.FieldErrorf(field, "%s", err)
	}
	return t, nil
}
