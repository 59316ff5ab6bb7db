// Uses clients that oapi-codegen generated from the documents of a running service.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"client/api"
	"client/management"
)

var ctx = context.Background()

func bearer(name string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv(name))
		return nil
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func check(name string, holds bool, found any) {
	if !holds {
		log.Fatalf("%s: %+v", name, found)
	}
	fmt.Println("ok " + name)
}

func to[T any](value T) *T { return &value }

func sale(source string) api.ChargeCreate {
	return api.ChargeCreate{
		Amount:   4200,
		Currency: "eur",
		Source:   to(source),
		Metadata: &api.MetadataInput{"order": "17"},
	}
}

func main() {
	client, err := api.NewClientWithResponses(
		os.Getenv("API_URL"), api.WithRequestEditorFn(bearer("SECRET_KEY")))
	must(err)

	key := &api.CreateChargeParams{IdempotencyKey: to("order-17")}
	made, err := client.CreateChargeWithResponse(ctx, key, sale("tok_visa"))
	must(err)
	again, err := client.CreateChargeWithResponse(ctx, key, sale("tok_visa"))
	must(err)
	charge := made.JSON200
	check("create", charge != nil && charge.Status == api.ChargeStatusSucceeded &&
		charge.Metadata["order"] == "17" && again.JSON200.Id == charge.Id, string(made.Body))

	body := sale("tok_visa")
	body.Capture = to(false)
	body.Expand = &[]string{"payment_method"}
	authorized, err := client.CreateChargeWithResponse(ctx, &api.CreateChargeParams{}, body)
	must(err)
	method, err := authorized.JSON200.PaymentMethod.AsPaymentMethod()
	must(err)
	captured, err := client.CaptureChargeWithResponse(
		ctx, authorized.JSON200.Id, &api.CaptureChargeParams{}, api.ChargeCapture{})
	must(err)
	check("capture", captured.JSON200.Captured && method.Card.Brand == "visa" &&
		captured.JSON200.Created.Equal(authorized.JSON200.Created), string(captured.Body))

	listed, err := client.ListChargesWithResponse(ctx, &api.ListChargesParams{
		Created: &api.CreatedFilter{Gte: to(time.Now().Add(-time.Hour)), Lt: to(time.Now().Add(time.Hour))},
		Status:  to(api.ChargeStatusSucceeded),
	})
	must(err)
	check("list", listed.JSON200 != nil && len(listed.JSON200.Data) == 2, string(listed.Body))

	refund, err := client.CreateRefundWithResponse(ctx, &api.CreateRefundParams{}, api.RefundCreate{
		Charge: charge.Id, Amount: to(200), Reason: to(api.RefundReasonDuplicate),
	})
	must(err)
	check("refund", refund.JSON200 != nil && refund.JSON200.Amount == 200, string(refund.Body))

	declined, err := client.CreateChargeWithResponse(
		ctx, &api.CreateChargeParams{}, sale("tok_visa_chargeDeclined"))
	must(err)
	check("declined card", declined.JSON402 != nil &&
		declined.JSON402.Error.Code == "card_declined", string(declined.Body))

	admin, err := management.NewClientWithResponses(
		os.Getenv("MANAGEMENT_URL"), management.WithRequestEditorFn(bearer("ADMIN_TOKEN")))
	must(err)
	me, err := admin.RetrieveMeWithResponse(ctx)
	must(err)
	accounts, err := admin.ListAccountsWithResponse(ctx, &management.ListAccountsParams{Limit: to(1)})
	must(err)
	check("management", me.JSON200 != nil && me.JSON200.Via == "jwt" &&
		len(accounts.JSON200.Data) == 1, string(me.Body))
}
