// Drives the API with stripe-go v85: charges, refunds, deliveries, a subscription.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"github.com/stripe/stripe-go/v85"
)

var ctx = context.Background()

func connect(key string) *stripe.Client {
	// This version takes no base URL with a path.
	config := &stripe.BackendConfig{URL: stripe.String(os.Getenv("API_ORIGIN"))}
	return stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(config)))
}

func main() {
	sc := connect(os.Getenv("SECRET_KEY"))
	held := createAndCapture(sc)
	readTimes(sc, held)
	listAll(sc)
	refund(sc, held)
	readBalance(sc)
	createPaymentMethod(sc)
	receive(sc)
	bill(sc)
	meetErrors(sc)
}

func charge(amount int64, currency string, source string) *stripe.ChargeCreateParams {
	params := &stripe.ChargeCreateParams{Amount: &amount, Currency: &currency}
	must(params.SetSource(source))
	return params
}

func createAndCapture(sc *stripe.Client) *stripe.Charge {
	params := charge(4200, "eur", "tok_visa")
	params.Description = stripe.String("Two tickets")
	params.AddMetadata("order", "o_1")
	made, err := sc.V1Charges.Create(ctx, params)
	must(err)
	equal("amount", made.Amount, 4200)
	equal("currency", made.Currency, stripe.CurrencyEUR)
	equal("status", made.Status, stripe.ChargeStatusSucceeded)
	equal("last4", made.PaymentMethodDetails.Card.Last4, "4242")
	found, err := sc.V1Charges.Retrieve(ctx, made.ID, nil)
	must(err)
	equal("metadata", found.Metadata, map[string]string{"order": "o_1"})
	ok("create")

	params = charge(1000, "eur", "tok_mastercard")
	params.Capture = stripe.Bool(false)
	authorized, err := sc.V1Charges.Create(ctx, params)
	must(err)
	equal("captured", authorized.Captured, false)
	part := &stripe.ChargeCaptureParams{Amount: stripe.Int64(600)}
	captured, err := sc.V1Charges.Capture(ctx, authorized.ID, part)
	must(err)
	equal("captured", captured.Captured, true)
	equal("amount_captured", captured.AmountCaptured, 600)
	ok("capture")
	return captured
}

func readTimes(sc *stripe.Client, held *stripe.Charge) {
	recent("created", held.Created)
	since := &stripe.RangeQueryParams{GreaterThanOrEqual: held.Created}
	seen := []string{}
	for each, err := range sc.V1Charges.List(ctx, &stripe.ChargeListParams{CreatedRange: since}).All(ctx) {
		must(err)
		seen = append(seen, each.ID)
	}
	equal("the newest charge", seen[0], held.ID)
	ok("times")
}

func listAll(sc *stripe.Client) {
	made := []string{}
	for count := range int64(5) {
		one, err := sc.V1Charges.Create(ctx, charge(100+count, "usd", "tok_visa"))
		must(err)
		made = append([]string{one.ID}, made...)
	}
	params := &stripe.ChargeListParams{}
	params.Limit = stripe.Int64(2)
	seen := []string{}
	for each, err := range sc.V1Charges.List(ctx, params).All(ctx) {
		must(err)
		seen = append(seen, each.ID)
	}
	equal("the number of charges", len(seen), 7)
	equal("the newest charges", seen[:5], made)
	ok("list")
}

func refund(sc *stripe.Client, held *stripe.Charge) {
	params := &stripe.RefundCreateParams{Charge: &held.ID, Amount: stripe.Int64(200)}
	made, err := sc.V1Refunds.Create(ctx, params)
	must(err)
	equal("amount", made.Amount, 200)
	equal("status", made.Status, stripe.RefundStatusSucceeded)
	equal("charge", made.Charge.ID, held.ID)
	recent("created", made.Created)
	found, err := sc.V1Charges.Retrieve(ctx, held.ID, nil)
	must(err)
	equal("amount_refunded", found.AmountRefunded, 200)
	seen := []string{}
	for each, err := range sc.V1Refunds.List(ctx, &stripe.RefundListParams{Charge: &held.ID}).All(ctx) {
		must(err)
		seen = append(seen, each.ID)
	}
	equal("the refunds", seen, []string{made.ID})
	ok("refund")
}

func readBalance(sc *stripe.Client) {
	balance, err := sc.V1Balance.Retrieve(ctx, nil)
	must(err)
	pending := map[stripe.Currency]int64{}
	for _, funds := range balance.Pending {
		pending[funds.Currency] = funds.Amount
	}
	equal("the pending amount", pending[stripe.CurrencyEUR], 4600)
	seen := []*stripe.BalanceTransaction{}
	params := &stripe.BalanceTransactionListParams{}
	for each, err := range sc.V1BalanceTransactions.List(ctx, params).All(ctx) {
		must(err)
		seen = append(seen, each)
	}
	equal("type", seen[0].Type, stripe.BalanceTransactionTypeRefund)
	equal("net", seen[0].Net, -200)
	recent("created", seen[0].Created)
	equal("it is available later", seen[0].AvailableOn >= seen[0].Created, true)
	ok("balance")
}

func createPaymentMethod(sc *stripe.Client) {
	made, err := sc.V1PaymentMethods.Create(ctx, &stripe.PaymentMethodCreateParams{
		Type: stripe.String("card"),
		Card: &stripe.PaymentMethodCreateCardParams{Token: stripe.String("tok_visa")},
	})
	must(err)
	equal("last4", made.Card.Last4, "4242")
	recent("created", made.Created)
	found, err := sc.V1PaymentMethods.Retrieve(ctx, made.ID, nil)
	must(err)
	equal("type", found.Type, stripe.PaymentMethodTypeCard)
	ok("payment method")
}

func receive(sc *stripe.Client) {
	url, arrived := startReceiver()
	endpoint, err := sc.V1WebhookEndpoints.Create(ctx, &stripe.WebhookEndpointCreateParams{
		URL:           &url,
		EnabledEvents: stripe.StringSlice([]string{"charge.succeeded"}),
		APIVersion:    stripe.String(stripe.APIVersion),
	})
	must(err)
	equal("api_version", endpoint.APIVersion, stripe.APIVersion)
	found, err := sc.V1WebhookEndpoints.Retrieve(ctx, endpoint.ID, nil)
	must(err)
	equal("status", found.Status, "enabled")
	ok("endpoint")

	made, err := sc.V1Charges.Create(ctx, charge(777, "eur", "tok_visa"))
	must(err)
	received := next(arrived)
	event, err := sc.ConstructEvent(received.body, received.header, endpoint.Secret)
	must(err)
	equal("type", event.Type, stripe.EventTypeChargeSucceeded)
	recent("created", event.Created)
	var inside stripe.Charge
	must(json.Unmarshal(event.Data.Raw, &inside))
	equal("the charge", inside.ID, made.ID)
	recent("created", inside.Created)
	_, err = sc.ConstructEvent(append(received.body, ' '), received.header, endpoint.Secret)
	equal("the error", errors.Is(err, stripe.ErrWebhookNoValidSignature), true)
	again, err := sc.V1Events.Retrieve(ctx, event.ID, nil)
	must(err)
	equal("type", again.Type, stripe.EventTypeChargeSucceeded)
	deleted, err := sc.V1WebhookEndpoints.Delete(ctx, endpoint.ID, nil)
	must(err)
	equal("deleted", deleted.Deleted, true)
	ok("delivery")
}

func sell(sc *stripe.Client, amount int64) string {
	made, err := sc.V1Prices.Create(ctx, &stripe.PriceCreateParams{
		Currency:    stripe.String("eur"),
		UnitAmount:  &amount,
		ProductData: &stripe.PriceCreateProductDataParams{Name: stripe.String("Tea")},
		Recurring:   &stripe.PriceCreateRecurringParams{Interval: stripe.String("month")},
	})
	must(err)
	return made.ID
}

func bill(sc *stripe.Client) {
	customer, err := sc.V1Customers.Create(ctx, &stripe.CustomerCreateParams{Name: stripe.String("Ada")})
	must(err)
	to := &stripe.PaymentMethodAttachParams{Customer: &customer.ID}
	method, err := sc.V1PaymentMethods.Attach(ctx, "pm_card_visa", to)
	must(err)
	basic, pro := sell(sc, 1000), sell(sc, 3000)
	params := &stripe.SubscriptionCreateParams{
		Customer:             &customer.ID,
		Items:                []*stripe.SubscriptionCreateItemParams{{Price: &basic}},
		DefaultPaymentMethod: &method.ID,
	}
	params.AddExpand("latest_invoice")
	made, err := sc.V1Subscriptions.Create(ctx, params)
	must(err)
	equal("status", made.Status, stripe.SubscriptionStatusActive)
	recent("start_date", made.StartDate)
	equal("amount_paid", made.LatestInvoice.AmountPaid, 1000)
	ok("create subscription")

	item := made.Items.Data[0].ID
	preview, err := sc.V1Invoices.CreatePreview(ctx, &stripe.InvoiceCreatePreviewParams{
		Subscription: &made.ID,
		SubscriptionDetails: &stripe.InvoiceCreatePreviewSubscriptionDetailsParams{
			Items:             []*stripe.InvoiceCreatePreviewSubscriptionDetailsItemParams{{ID: &item, Price: &pro}},
			ProrationBehavior: stripe.String("always_invoice"),
			ProrationDate:     &made.StartDate,
		},
	})
	must(err)
	equal("amount_due", preview.AmountDue, 2000)
	equal("the lines", amounts(preview), []int64{-1000, 3000})
	ok("preview")

	changed, err := sc.V1Subscriptions.Update(ctx, made.ID, &stripe.SubscriptionUpdateParams{
		Items:             []*stripe.SubscriptionUpdateItemParams{{ID: &item, Price: &pro}},
		ProrationBehavior: stripe.String("always_invoice"),
		ProrationDate:     &made.StartDate,
	})
	must(err)
	equal("price", changed.Items.Data[0].Price.ID, pro)
	ok("change subscription")

	seen := []*stripe.Invoice{}
	for each, err := range sc.V1Invoices.List(ctx, &stripe.InvoiceListParams{Subscription: &made.ID}).All(ctx) {
		must(err)
		seen = append(seen, each)
	}
	equal("the number of invoices", len(seen), 2)
	equal("the lines", amounts(seen[0]), []int64{-1000, 3000})
	read, err := sc.V1Invoices.Retrieve(ctx, seen[0].ID, nil)
	must(err)
	equal("parent", read.Parent.SubscriptionDetails.Subscription.ID, made.ID)
	equal("status", read.Payments.Data[0].Status, "paid")
	paid, err := sc.V1Charges.Retrieve(ctx, read.Payments.Data[0].Payment.Charge.ID, nil)
	must(err)
	equal("amount", paid.Amount, 2000)
	recent("paid_at", read.StatusTransitions.PaidAt)
	ok("invoices")

	ended, err := sc.V1Subscriptions.Cancel(ctx, made.ID, nil)
	must(err)
	equal("status", ended.Status, stripe.SubscriptionStatusCanceled)
	recent("ended_at", ended.EndedAt)
	ok("cancel subscription")
}

func amounts(invoice *stripe.Invoice) []int64 {
	found := []int64{}
	for _, line := range invoice.Lines.Data {
		found = append(found, line.Amount)
	}
	return found
}

func meetErrors(sc *stripe.Client) {
	_, err := sc.V1Charges.Create(ctx, charge(100, "eur", "tok_visa_chargeDeclined"))
	var failure *stripe.Error
	equal("it is an error of stripe-go", errors.As(err, &failure), true)
	var declined *stripe.CardError
	equal("it is a card error", errors.As(failure.Err, &declined), true)
	equal("status", failure.HTTPStatusCode, 402)
	equal("code", failure.Code, stripe.ErrorCodeCardDeclined)
	equal("decline_code", failure.DeclineCode, stripe.DeclineCodeGenericDecline)
	equal("request_id", failure.RequestID[:4], "req_")
	ok("declined card")

	_, err = connect(os.Getenv("REVOKED_KEY")).V1Charges.Retrieve(ctx, "ch_unknown", nil)
	equal("it is an error of stripe-go", errors.As(err, &failure), true)
	equal("status", failure.HTTPStatusCode, 401)
	ok("revoked key")
}
