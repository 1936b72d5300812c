// A client that was made by OpenAPI Generator asks, reads and withdraws.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"sayso/sayso"
)

func main() {
	conf := sayso.NewConfiguration()
	conf.Servers = sayso.ServerConfigurations{{URL: os.Args[1]}}
	conf.AddDefaultHeader("X-API-Key", os.Args[2])
	api := sayso.NewAPIClient(conf).QuestionsAPI
	ctx := context.Background()
	asked, _, err := api.Ask(ctx).XAgentID("generated").
		Ask(*sayso.NewAsk("Generated?")).Execute()
	if err != nil {
		log.Fatal(err)
	}
	read, _, err := api.ReadQuestion(ctx, asked.SuspensionId).
		XAgentID("generated").Wait(0).Execute()
	if err != nil || read.State != sayso.SUSPENSIONSTATE_PENDING {
		log.Fatal(err, read)
	}
	gone, _, err := api.TakeBack(ctx, asked.SuspensionId).
		XAgentID("generated").TakeBack(*sayso.NewTakeBack()).Execute()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(gone.State)
}
