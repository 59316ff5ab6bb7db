// Drives the API with stripe-go v76: charges, refunds, deliveries, a subscription.
package main

import (
	"encoding/json"
	"errors"
	"os"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/client"
	"github.com/stripe/stripe-go/v76/webhook"
)

func connect(key string) *client.API {
	config := &stripe.BackendConfig{URL: stripe.String(os.Getenv("API_URL"))}
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, config)
	return client.New(key, &stripe.Backends{API: backend, Uploads: backend})
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

func charge(amount int64, currency string, source string) *stripe.ChargeParams {
	params := &stripe.ChargeParams{Amount: &amount, Currency: &currency}
	must(params.SetSource(source))
	return params
}

func createAndCapture(sc *client.API) *stripe.Charge {
	params := charge(4200, "eur", "tok_visa")
	params.Description = stripe.String("Two tickets")
	params.AddMetadata("order", "o_1")
	made, err := sc.Charges.New(params)
	must(err)
	equal("amount", made.Amount, 4200)
	equal("currency", made.Currency, stripe.CurrencyEUR)
	equal("status", made.Status, stripe.ChargeStatusSucceeded)
	equal("last4", made.PaymentMethodDetails.Card.Last4, "4242")
	found, err := sc.Charges.Get(made.ID, nil)
	must(err)
	equal("metadata", found.Metadata, map[string]string{"order": "o_1"})
	ok("create")

	params = charge(1000, "eur", "tok_mastercard")
	params.Capture = stripe.Bool(false)
	authorized, err := sc.Charges.New(params)
	must(err)
	equal("captured", authorized.Captured, false)
	part := &stripe.ChargeCaptureParams{Amount: stripe.Int64(600)}
	captured, err := sc.Charges.Capture(authorized.ID, part)
	must(err)
	equal("captured", captured.Captured, true)
	equal("amount_captured", captured.AmountCaptured, 600)
	ok("capture")
	return captured
}

func readTimes(sc *client.API, held *stripe.Charge) {
	recent("created", held.Created)
	since := &stripe.RangeQueryParams{GreaterThanOrEqual: held.Created}
	seen := []string{}
	page := sc.Charges.List(&stripe.ChargeListParams{CreatedRange: since})
	for page.Next() {
		seen = append(seen, page.Charge().ID)
	}
	must(page.Err())
	equal("the newest charge", seen[0], held.ID)
	ok("times")
}

func listAll(sc *client.API) {
	made := []string{}
	for count := int64(0); count < 5; count++ {
		one, err := sc.Charges.New(charge(100+count, "usd", "tok_visa"))
		must(err)
		made = append([]string{one.ID}, made...)
	}
	params := &stripe.ChargeListParams{}
	params.Limit = stripe.Int64(2)
	seen := []string{}
	page := sc.Charges.List(params)
	for page.Next() {
		seen = append(seen, page.Charge().ID)
	}
	must(page.Err())
	equal("the number of charges", len(seen), 7)
	equal("the newest charges", seen[:5], made)
	ok("list")
}

func refund(sc *client.API, held *stripe.Charge) {
	params := &stripe.RefundParams{Charge: &held.ID, Amount: stripe.Int64(200)}
	made, err := sc.Refunds.New(params)
	must(err)
	equal("amount", made.Amount, 200)
	equal("status", made.Status, stripe.RefundStatusSucceeded)
	equal("charge", made.Charge.ID, held.ID)
	recent("created", made.Created)
	found, err := sc.Charges.Get(held.ID, nil)
	must(err)
	equal("amount_refunded", found.AmountRefunded, 200)
	seen := []string{}
	page := sc.Refunds.List(&stripe.RefundListParams{Charge: &held.ID})
	for page.Next() {
		seen = append(seen, page.Refund().ID)
	}
	must(page.Err())
	equal("the refunds", seen, []string{made.ID})
	ok("refund")
}

func readBalance(sc *client.API) {
	balance, err := sc.Balance.Get(nil)
	must(err)
	pending := map[stripe.Currency]int64{}
	for _, funds := range balance.Pending {
		pending[funds.Currency] = funds.Amount
	}
	equal("the pending amount", pending[stripe.CurrencyEUR], 4600)
	page := sc.BalanceTransactions.List(nil)
	equal("there is a transaction", page.Next(), true)
	newest := page.BalanceTransaction()
	equal("type", newest.Type, stripe.BalanceTransactionTypeRefund)
	equal("net", newest.Net, -200)
	recent("created", newest.Created)
	equal("it is available later", newest.AvailableOn >= newest.Created, true)
	ok("balance")
}

func createPaymentMethod(sc *client.API) {
	made, err := sc.PaymentMethods.New(&stripe.PaymentMethodParams{
		Type: stripe.String("card"),
		Card: &stripe.PaymentMethodCardParams{Token: stripe.String("tok_visa")},
	})
	must(err)
	equal("last4", made.Card.Last4, "4242")
	recent("created", made.Created)
	found, err := sc.PaymentMethods.Get(made.ID, nil)
	must(err)
	equal("type", found.Type, stripe.PaymentMethodTypeCard)
	ok("payment method")
}

func receive(sc *client.API) {
	url, arrived := startReceiver()
	endpoint, err := sc.WebhookEndpoints.New(&stripe.WebhookEndpointParams{
		URL:           &url,
		EnabledEvents: stripe.StringSlice([]string{"charge.succeeded"}),
		APIVersion:    stripe.String(stripe.APIVersion),
	})
	must(err)
	equal("api_version", endpoint.APIVersion, stripe.APIVersion)
	found, err := sc.WebhookEndpoints.Get(endpoint.ID, nil)
	must(err)
	equal("status", found.Status, "enabled")
	ok("endpoint")

	made, err := sc.Charges.New(charge(777, "eur", "tok_visa"))
	must(err)
	received := next(arrived)
	event, err := webhook.ConstructEvent(received.body, received.header, endpoint.Secret)
	must(err)
	equal("type", event.Type, stripe.EventTypeChargeSucceeded)
	recent("created", event.Created)
	var inside stripe.Charge
	must(json.Unmarshal(event.Data.Raw, &inside))
	equal("the charge", inside.ID, made.ID)
	recent("created", inside.Created)
	_, err = webhook.ConstructEvent(append(received.body, ' '), received.header, endpoint.Secret)
	equal("the error", errors.Is(err, webhook.ErrNoValidSignature), true)
	again, err := sc.Events.Get(event.ID, nil)
	must(err)
	equal("type", again.Type, stripe.EventTypeChargeSucceeded)
	deleted, err := sc.WebhookEndpoints.Del(endpoint.ID, nil)
	must(err)
	equal("deleted", deleted.Deleted, true)
	ok("delivery")
}

func sell(sc *client.API, amount int64) string {
	made, err := sc.Prices.New(&stripe.PriceParams{
		Currency:    stripe.String("eur"),
		UnitAmount:  &amount,
		ProductData: &stripe.PriceProductDataParams{Name: stripe.String("Tea")},
		Recurring:   &stripe.PriceRecurringParams{Interval: stripe.String("month")},
	})
	must(err)
	return made.ID
}

func bill(sc *client.API) {
	customer, err := sc.Customers.New(&stripe.CustomerParams{Name: stripe.String("Ada")})
	must(err)
	to := &stripe.PaymentMethodAttachParams{Customer: &customer.ID}
	method, err := sc.PaymentMethods.Attach("pm_card_visa", to)
	must(err)
	basic, pro := sell(sc, 1000), sell(sc, 3000)
	params := &stripe.SubscriptionParams{
		Customer:             &customer.ID,
		Items:                []*stripe.SubscriptionItemsParams{{Price: &basic}},
		DefaultPaymentMethod: &method.ID,
	}
	params.AddExpand("latest_invoice")
	made, err := sc.Subscriptions.New(params)
	must(err)
	equal("status", made.Status, stripe.SubscriptionStatusActive)
	equal("current_period_start", made.CurrentPeriodStart, made.StartDate)
	equal("amount_paid", made.LatestInvoice.AmountPaid, 1000)
	ok("create subscription")

	changed, err := sc.Subscriptions.Update(made.ID, &stripe.SubscriptionParams{
		Items:             []*stripe.SubscriptionItemsParams{{ID: &made.Items.Data[0].ID, Price: &pro}},
		ProrationBehavior: stripe.String("always_invoice"),
		ProrationDate:     &made.StartDate,
	})
	must(err)
	equal("price", changed.Items.Data[0].Price.ID, pro)
	ok("change subscription")

	seen := []*stripe.Invoice{}
	for each := sc.Invoices.List(&stripe.InvoiceListParams{Subscription: &made.ID}); each.Next(); {
		seen = append(seen, each.Invoice())
	}
	equal("the number of invoices", len(seen), 2)
	expanded := &stripe.InvoiceParams{}
	expanded.AddExpand("charge")
	read, err := sc.Invoices.Get(seen[0].ID, expanded)
	must(err)
	equal("paid", read.Paid, true)
	equal("subscription", read.Subscription.ID, made.ID)
	equal("charge", read.Charge.Amount, 2000)
	equal("the price of a line", read.Lines.Data[1].Price.ID, pro)
	equal("its type", read.Lines.Data[1].Type, stripe.InvoiceLineItemTypeSubscription)
	recent("paid_at", read.StatusTransitions.PaidAt)
	ok("invoices")

	ended, err := sc.Subscriptions.Cancel(made.ID, nil)
	must(err)
	equal("status", ended.Status, stripe.SubscriptionStatusCanceled)
	recent("ended_at", ended.EndedAt)
	ok("cancel subscription")
}

func meetErrors(sc *client.API) {
	_, err := sc.Charges.New(charge(100, "eur", "tok_visa_chargeDeclined"))
	var failure *stripe.Error
	equal("it is an error of stripe-go", errors.As(err, &failure), true)
	var declined *stripe.CardError
	equal("it is a card error", errors.As(failure.Err, &declined), true)
	equal("status", failure.HTTPStatusCode, 402)
	equal("code", failure.Code, stripe.ErrorCodeCardDeclined)
	equal("decline_code", failure.DeclineCode, stripe.DeclineCodeGenericDecline)
	equal("request_id", failure.RequestID[:4], "req_")
	ok("declined card")

	_, err = connect(os.Getenv("REVOKED_KEY")).Charges.Get("ch_unknown", nil)
	equal("it is an error of stripe-go", errors.As(err, &failure), true)
	equal("status", failure.HTTPStatusCode, 401)
	ok("revoked key")
}
