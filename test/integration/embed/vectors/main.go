// Command vectors prints the vectors of texts by a model of embeddings, for tests that compare them with those of other
// programs. It reads a JSON list of texts, and writes a JSON list of vectors.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"
	"time"

	"github.com/loci-memory/loci/internal/embed"
)

func main() {
	folder := flag.String("folder", "", "folder of a static model")
	address := flag.String("url", "", "base URL of an endpoint")
	model := flag.String("model", "", "model of the endpoint")
	flag.Parse()
	if err := run(context.Background(), *folder, *address, *model); err != nil {
		log.Fatal("vectors: ", err)
	}
}

func run(ctx context.Context, folder, address, model string) error {
	var texts []string
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		return err
	}
	var m embed.Model
	var err error
	if folder != "" {
		m, err = embed.Open(folder, embed.Prompts{})
	} else {
		m, err = embed.NewEndpoint(embed.EndpointOptions{BaseURL: address, Model: model,
			Timeout: 5 * time.Minute}) // the processor may be busy
	}
	if err != nil {
		return err
	}
	list, err := m.Embed(ctx, embed.Document, texts)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(list)
}
