package embed

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
)

// Off is the model of nobody: embeddings are off.
const Off = "off"

// SelectorOptions say which model is in use.
type SelectorOptions struct {
	// Dir has a folder for each model on this machine, and the file that says which one is in use.
	Dir string
	// Model is the name of a folder in Dir, a path to a folder, Off, BuiltIn, or the endpoint's model. "": what Use has
	// set.
	Model string
	// Endpoint has the settings of an endpoint. Without BaseURL there is none, and the prefixes are those of a
	// transformer in a folder.
	Endpoint EndpointOptions
	// Egress says whether anything may be sent to an endpoint.
	Egress bool
	// Patient lets callers wait until a model is read, whatever their deadline: for a process that does one thing.
	Patient bool
}

// Selector is the Source of a process. It is safe for concurrent use.
type Selector struct {
	o        SelectorOptions
	endpoint *Endpoint
	read     func(dir string) (FolderModel, error)

	mu     sync.Mutex
	loaded map[string]*loaded // by folder
}

// loaded is a folder that was read, or why it could not be. model and err are there when ready is closed.
type loaded struct {
	ready chan struct{}
	model FolderModel
	err   error
	asked time.Time
	stamp string    // of the files then
	until time.Time // an error is not looked at again before
}

// errorsStay is for how long a folder that cannot be read is left alone.
const errorsStay = 10 * time.Second

// modelsStay is for how long a model stays in memory that nobody asks for.
const modelsStay = 10 * time.Minute

// NewSelector returns a Selector. It reads no model yet. Invalid if the settings of the endpoint are wrong.
func NewSelector(o SelectorOptions) (*Selector, error) {
	s := &Selector{o: o, loaded: map[string]*loaded{}}
	s.read = func(dir string) (FolderModel, error) {
		return Open(dir, Prompts{Document: o.Endpoint.DocumentPrefix, Query: o.Endpoint.QueryPrefix})
	}
	if o.Endpoint.BaseURL == "" || o.Model == Off || o.Model == BuiltIn {
		return s, nil
	}
	o.Endpoint.Model = o.Model
	var err error
	s.endpoint, err = NewEndpoint(o.Endpoint)
	return s, err
}

// inUse is the file that names the model in use.
const inUse = "in-use"

// Use sets the model that processes use whose settings name none: the name of a folder in dir, the path of a folder, or
// BuiltIn. Off switches embeddings off. Running processes notice it.
func Use(dir, model string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, inUse+".*.tmp")
	if err != nil {
		return err
	}
	_, err = temp.WriteString(model + "\n")
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), filepath.Join(dir, inUse))
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // the first error tells more
	}
	return err
}

// InUse returns the model that Use has set, or BuiltIn.
func InUse(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, inUse))
	if name := strings.TrimSpace(string(text)); err == nil && name != "" {
		return name
	}
	return BuiltIn
}

// Folder returns the folder of a model by its name in dir or its path. BuiltIn is its own folder.
func Folder(dir, model string) string {
	if strings.ContainsAny(model, `/\`) || model == "." || model == ".." || model == BuiltIn {
		return model
	}
	return filepath.Join(dir, model)
}

// Chosen returns the model in use as the settings or Use name it, or Off. If egress is off, an endpoint is no model.
func (s *Selector) Chosen() string {
	switch {
	case s.endpoint != nil && !s.o.Egress:
		return Off
	case s.o.Model != "":
		return s.o.Model
	}
	return InUse(s.o.Dir)
}

// IsChosen reports whether a Name is that of the model in use. It reads no model, so any version of a folder will do.
func (s *Selector) IsChosen(name string) bool {
	if s.endpoint != nil {
		return name == s.endpoint.Name()
	}
	return Local(name) && folderIn(name) == loci.Shorten(filepath.Base(s.Chosen()), 100)
}

// Current implements Source. It fails with a *Fault that is Loading if ctx
// ends before a large model is read, which goes on.
func (s *Selector) Current(ctx context.Context) (Model, error) {
	chosen := s.Chosen()
	switch {
	case chosen == Off:
		s.forget(time.Now())
		return nil, nil
	case s.endpoint != nil:
		return s.endpoint, nil
	}
	m, err := s.open(ctx, Folder(s.o.Dir, chosen))
	if err != nil {
		return nil, err
	}
	return m, nil
}

// ByName implements Source. It looks for a folder whose name the model has.
func (s *Selector) ByName(ctx context.Context, name string) (Model, error) {
	if !Local(name) {
		if s.endpoint != nil && s.o.Egress && s.endpoint.Name() == name {
			return s.endpoint, nil
		}
		return nil, ctx.Err()
	}
	m, err := s.open(ctx, s.folderOf(name))
	if err != nil || m.Name() != name {
		return nil, nil //nolint:nilerr // it cannot be opened any more
	}
	return m, nil
}

// folderOf returns the folder of a model by its Name: one that was used by its path, or else one in Dir.
func (s *Selector) folderOf(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for dir, l := range s.loaded {
		if l.model != nil && l.model.Name() == name {
			return dir
		}
	}
	return Folder(s.o.Dir, filepath.Base(folderIn(name)))
}

// folderIn returns the name of the folder in the Name of a model.
func folderIn(name string) string {
	_, folder, _ := strings.Cut(name, ":")
	if at := strings.LastIndexByte(folder, '@'); at >= 0 {
		folder = folder[:at]
	}
	return folder
}

// forget lets models go for which nobody has asked for long.
func (s *Selector) forget(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.loaded, func(_ string, l *loaded) bool { return now.Sub(l.asked) > modelsStay })
}

// open returns the model in a folder. It reads the folder when it is first asked for, and again if its files change.
func (s *Selector) open(ctx context.Context, dir string) (FolderModel, error) {
	now := time.Now()
	s.forget(now)
	l := s.load(dir, now)
	if s.o.Patient {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-l.ready:
		return l.model, l.err
	case <-ctx.Done():
		return nil, &Fault{Text: "the model in " + dir + " is still being read", Loading: true, cause: ctx.Err()}
	}
}

// load begins to read a folder, unless that has begun or nothing has changed since.
func (s *Selector) load(dir string, now time.Time) *loaded {
	s.mu.Lock()
	defer s.mu.Unlock()
	stamp, last := stampOf(dir), s.loaded[dir]
	if last != nil && last.stamp == stamp && (!last.isRead() || last.err == nil || now.Before(last.until)) {
		last.asked = now
		return last
	}
	l := &loaded{ready: make(chan struct{}), stamp: stamp, asked: now, until: now.Add(errorsStay)}
	s.loaded[dir] = l
	go func() {
		defer close(l.ready)
		m, err := s.read(dir)
		if err == nil {
			m = s.join(m)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		l.model, l.err = m, err
	}()
	return l
}

// builtIn returns the built-in model. Reading it takes a few milliseconds.
func (s *Selector) builtIn() *Static {
	l := s.load(BuiltIn, time.Now())
	<-l.ready
	return l.model.(*Static)
}

func (l *loaded) isRead() bool {
	select {
	case <-l.ready:
		return true
	default:
		return false
	}
}

// stampOf tells one state of the files of a model from another.
func stampOf(dir string) string {
	if dir == BuiltIn {
		return ""
	}
	var b strings.Builder
	names, _ := Files()
	for _, name := range append(names, nested+"/"+weightsFile) {
		info, err := os.Stat(filepath.Join(dir, name))
		switch {
		case err == nil:
			b.WriteString(info.ModTime().Format(time.RFC3339Nano) + " " + loci.Thousands(int(info.Size())))
		case !errors.Is(err, fs.ErrNotExist):
			b.WriteString(err.Error())
		}
		b.WriteByte('\n')
	}
	return b.String()
}
