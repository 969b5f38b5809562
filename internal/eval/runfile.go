package eval

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/jsonlines"
)

// ReadRun scores a run file against the questions of a set: JSON lines of {"qid": "…", "ranked": ["ID", …]}, best
// first. A question that the file lacks counts as one for which nothing was found, and Result.Missing counts these.
// Other fields and questions that the set does not have are ignored. Invalid, with file and line, for a line of another
// form or a question that appears twice.
func ReadRun(set Set, file string) (*Result, error) {
	ranked := map[string][]string{}
	err := eachLine(file, false, func(_ int, in runLine) error {
		if err := present("qid", in.QID); err != nil {
			return err
		}
		if _, twice := ranked[in.QID]; twice {
			return loci.FieldErrorf("qid", "%q appears twice", in.QID)
		}
		ranked[in.QID] = in.Ranked
		return nil
	})
	if err != nil {
		return nil, err
	}
	return Score(set, ranked), nil
}

type runLine struct {
	QID    string   `json:"qid"`
	Ranked []string `json:"ranked"`
}

// WriteRun writes the ranking of each question in the form that ReadRun reads.
func WriteRun(file string, r *Result) error {
	lines := make([]runLine, len(r.Outcomes))
	for i, o := range r.Outcomes {
		lines[i] = runLine{o.Question.ID, o.Ranked}
	}
	return writeLines(file, lines)
}

func writeLines[T any](file string, lines []T) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write the run: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriter(f)
	for _, line := range lines {
		if err := jsonlines.Write(out, line); err != nil {
			return err
		}
	}
	return out.Flush()
}
