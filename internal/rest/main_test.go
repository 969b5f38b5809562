package rest_test

import (
	"os"
	"testing"

	"github.com/loci-memory/loci/test/random"
)

func TestMain(m *testing.M) {
	random.FewerUnderRace()
	os.Exit(m.Run())
}
