// Reads compose files as Docker Compose v2 does, and fails where it would.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	for _, file := range os.Args[1:] {
		options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv)
		if err == nil {
			_, err = options.LoadProject(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
