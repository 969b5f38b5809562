// Package setting shows the settings of the deployment, and lets its admins change those that Loci can take over while
// it runs. The configuration takes precedence: what the operator set there, only the operator changes.
package setting

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loci-memory/loci"
	"github.com/loci-memory/loci/internal/gate"
)

// Actions are the actions of this package, with their rules.
var Actions = gate.Actions{}

// The actions of this package.
var (
	Read   = Actions.Add("settings.read", gate.People, gate.Account, 0)
	Change = Actions.Add("settings.change", gate.Admins, gate.Admin, gate.WithChange|gate.StepUp)
)

// Key is a setting to show.
type Key struct {
	Name    string // as in the configuration
	Default string
	// Configured is the value that the configuration sets, if Operator is set.
	Configured string
	Operator   bool
	// Fixed means that Loci reads the setting at its start only, so that only the operator changes it.
	Fixed bool
	// Choices returns the possible values; nil: there are too many.
	Choices func() ([]string, error)
	// Get and Set keep the value elsewhere than in the store; nil: in the store. Get returns the default if it is not
	// set, and Set takes the default as any other value.
	Get func() string
	Set func(string) error
}

// Options configure a Service.
type Options struct {
	Keys []Key // in the order in which people see them; none: nothing can be changed
	// Check returns why a key cannot have a value, as an error that names the key; nil: it can have any.
	Check func(key, value string) error
}

// Service provides the operations on settings. It is safe for concurrent use.
type Service struct {
	*gate.Gate
	o Options

	mu      sync.Mutex
	changed map[string]loci.StoredSetting
	read    time.Time
}

// New returns a Service.
func New(g *gate.Gate, o Options) *Service {
	if o.Check == nil {
		o.Check = func(string, string) error { return nil }
	}
	return &Service{Gate: g, o: o}
}

// stays is for how long a process goes on with what it read, so that a setting that each event asks for costs nothing.
// This is after how long the other processes notice a change.
const stays = time.Second

// Changed returns the values that people changed, by key, without those that the configuration decides. The caller must
// not change the map. If the store cannot be read, it returns what it last read.
func (s *Service) Changed(ctx context.Context) map[string]loci.StoredSetting {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Time()
	if age := now.Sub(s.read); s.changed != nil && age >= 0 && age < stays {
		return s.changed
	}
	list, err := s.Store.Settings().List(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "cannot read the settings; the last ones stay", "error", err)
		return s.changed
	}
	changed := map[string]loci.StoredSetting{}
	for _, one := range list {
		k := s.key(one.Key)
		if k != nil && !k.Operator && !k.Fixed && k.Set == nil && s.o.Check(one.Key, one.Value) == nil {
			changed[one.Key] = one
		}
	}
	s.changed, s.read = changed, now
	return changed
}

// key returns a key by its name, or nil.
func (s *Service) key(name string) *Key {
	i := slices.IndexFunc(s.o.Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &s.o.Keys[i]
}

// List returns the settings with their present values. A new value holds in other processes after a second.
func (s *Service) List(ctx context.Context, p loci.Principal) ([]loci.Setting, error) {
	if err := s.Begin(ctx, p, Read); err != nil {
		return nil, err
	}
	changed := s.Changed(ctx)
	out := make([]loci.Setting, len(s.o.Keys))
	for i := range s.o.Keys {
		var err error
		if out[i], err = s.show(&s.o.Keys[i], changed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Service) show(k *Key, changed map[string]loci.StoredSetting) (one loci.Setting, err error) {
	one = loci.Setting{Key: k.Name, Value: k.Default, Default: k.Default, Source: loci.SetByDefault,
		Fixed: k.Fixed || k.Operator}
	c, isChanged := changed[k.Name]
	switch {
	case k.Operator:
		one.Value, one.Source = k.Configured, loci.SetByOperator
	case isChanged:
		one.Value, one.Source, one.ChangedAt = c.Value, loci.SetByAdmin, c.At
	case k.Get != nil:
		if one.Value = k.Get(); one.Value != k.Default {
			one.Source = loci.SetByAdmin
		}
	}
	if k.Choices != nil && !one.Fixed {
		one.Choices, err = k.Choices()
	}
	return one, err
}

// Set changes a setting and returns it; a nil value brings the default back. NotFound if there is no such setting,
// Invalid if the value is not possible, Conflict if only the configuration can change it.
func (s *Service) Set(ctx context.Context, p loci.Principal, name string, value *string) (loci.Setting, error) {
	if err := s.Begin(ctx, p, Change); err != nil {
		return loci.Setting{}, err
	}
	k := s.key(name)
	if k == nil {
		return loci.Setting{}, loci.Errorf(loci.NotFound, "no such setting")
	}
	if err := s.checkChange(k, value); err != nil {
		return loci.Setting{}, err
	}
	if err := s.Record(ctx, p, Change, name); err != nil {
		return loci.Setting{}, err
	}
	if err := s.apply(ctx, k, value); err != nil {
		return loci.Setting{}, err
	}
	s.mu.Lock()
	s.changed = nil
	s.mu.Unlock()
	return s.show(k, s.Changed(ctx))
}

func (s *Service) checkChange(k *Key, value *string) error {
	switch {
	case k.Operator:
		return loci.Errorf(loci.Conflict, "the configuration of the server sets %s; change it there", k.Name)
	case k.Fixed:
		return loci.Errorf(loci.Conflict, "%s can only be changed in the configuration, because Loci reads it at its start",
			k.Name)
	case value == nil:
		return nil
	case k.Choices != nil:
		choices, err := k.Choices()
		if err == nil && !slices.Contains(choices, *value) {
			err = loci.FieldErrorf("value", "must be one of: %s", strings.Join(choices, ", "))
		}
		return err
	}
	return loci.AtField(s.o.Check(k.Name, *value), "value")
}

func (s *Service) apply(ctx context.Context, k *Key, value *string) error {
	if k.Set != nil {
		if value == nil {
			value = &k.Default
		}
		if err := k.Set(*value); err != nil {
			return loci.WrapError(loci.Unavailable, err, "cannot change %s", k.Name)
		}
		return nil
	}
	if value == nil {
		return s.Store.Settings().Delete(ctx, k.Name)
	}
	return s.Store.Settings().Put(ctx, loci.StoredSetting{Key: k.Name, Value: *value, At: s.Time()})
}
