"""Drives the API with stripe-python 16: charges, refunds, deliveries, a subscription."""

import os

import stripe
from receiver import Receiver, equal, ok, raised, recent


def connect(key):
    return stripe.StripeClient(key, base_addresses={"api": os.environ["API_URL"]})


client = connect(os.environ["SECRET_KEY"]).v1


def charge(amount, currency, source, **more):
    return client.charges.create(
        {"amount": amount, "currency": currency, "source": source, **more}
    )


def create_and_capture():
    made = charge(
        4200, "eur", "tok_visa", description="Two tickets", metadata={"order": "o_1"}
    )
    equal("amount", made.amount, 4200)
    equal("currency", made.currency, "eur")
    equal("status", made.status, "succeeded")
    equal("last4", made.payment_method_details.card.last4, "4242")
    found = client.charges.retrieve(made.id)
    equal("metadata", found.metadata.to_dict(), {"order": "o_1"})
    ok("create")

    authorized = charge(1000, "eur", "tok_mastercard", capture=False)
    equal("captured", authorized.captured, False)
    captured = client.charges.capture(authorized.id, {"amount": 600})
    equal("captured", captured.captured, True)
    equal("amount_captured", captured.amount_captured, 600)
    ok("capture")
    return captured


def read_times(held):
    recent("created", held.created)
    since = client.charges.list({"created": {"gte": held.created}})
    equal("the newest charge", since.data[0].id, held.id)
    ok("times")


def list_all():
    made = [charge(100 + count, "usd", "tok_visa").id for count in range(5)]
    page = client.charges.list({"limit": 2})
    seen = [each.id for each in page.auto_paging_iter()]
    equal("the number of charges", len(seen), 7)
    equal("the newest charges", seen[:5], made[::-1])
    ok("list")


def refund(held):
    made = client.refunds.create({"charge": held.id, "amount": 200})
    equal("amount", made.amount, 200)
    equal("status", made.status, "succeeded")
    equal("charge", made.charge, held.id)
    recent("created", made.created)
    equal("amount_refunded", client.charges.retrieve(held.id).amount_refunded, 200)
    page = client.refunds.list({"charge": held.id})
    equal("the refunds", [each.id for each in page.data], [made.id])
    ok("refund")


def read_balance():
    pending = client.balance.retrieve().pending
    amounts = [each.amount for each in pending if each.currency == "eur"]
    equal("the pending amounts", amounts, [4600])
    newest = client.balance_transactions.list({"limit": 1}).data[0]
    equal("type", newest.type, "refund")
    equal("net", newest.net, -200)
    recent("created", newest.created)
    equal("it is available later", newest.available_on >= newest.created, True)
    ok("balance")


def create_payment_method():
    made = client.payment_methods.create(
        {"type": "card", "card": {"token": "tok_visa"}}
    )
    equal("last4", made.card.last4, "4242")
    recent("created", made.created)
    equal("type", client.payment_methods.retrieve(made.id).type, "card")
    ok("payment method")


def receive():
    receiver = Receiver()
    endpoint = client.webhook_endpoints.create(
        {
            "url": receiver.url,
            "enabled_events": ["charge.succeeded"],
            "api_version": stripe.api_version,
        }
    )
    equal("api_version", endpoint.api_version, stripe.api_version)
    equal("status", client.webhook_endpoints.retrieve(endpoint.id).status, "enabled")
    ok("endpoint")

    made = charge(777, "eur", "tok_visa")
    body, header = receiver.next()
    event = stripe.Webhook.construct_event(body, header, endpoint.secret)
    equal("type", event.type, "charge.succeeded")
    equal("api_version", event.api_version, stripe.api_version)
    recent("created", event.created)
    equal("the charge", event.data.object.id, made.id)
    recent("created", event.data.object.created)
    raised(
        stripe.SignatureVerificationError,
        lambda: stripe.Webhook.construct_event(body + b" ", header, endpoint.secret),
    )
    equal("type", client.events.retrieve(event.id).type, "charge.succeeded")
    equal("deleted", client.webhook_endpoints.delete(endpoint.id).deleted, True)
    ok("delivery")


def sell(amount):
    price = {
        "currency": "eur",
        "unit_amount": amount,
        "product_data": {"name": "Tea"},
        "recurring": {"interval": "month"},
    }
    return client.prices.create(price).id


def amounts(invoice):
    return [each.amount for each in invoice.lines.data]


def bill():
    customer = client.customers.create({"name": "Ada"}).id
    method = client.payment_methods.attach("pm_card_visa", {"customer": customer})
    basic, pro = sell(1000), sell(3000)
    made = client.subscriptions.create(
        {
            "customer": customer,
            "items": [{"price": basic}],
            "default_payment_method": method.id,
            "expand": ["latest_invoice"],
        }
    )
    equal("status", made.status, "active")
    recent("start_date", made.start_date)
    equal("amount_paid", made.latest_invoice.amount_paid, 1000)
    ok("create subscription")

    change = {
        "items": [{"id": made["items"].data[0].id, "price": pro}],
        "proration_behavior": "always_invoice",
        "proration_date": made.start_date,
    }
    preview = client.invoices.create_preview(
        {"subscription": made.id, "subscription_details": change}
    )
    equal("amount_due", preview.amount_due, 2000)
    equal("the lines", amounts(preview), [-1000, 3000])
    ok("preview")

    changed = client.subscriptions.update(made.id, change)
    equal("price", changed["items"].data[0].price.id, pro)
    ok("change subscription")

    invoices = client.invoices.list({"subscription": made.id}).data
    equal("the lines", [amounts(each) for each in invoices], [[-1000, 3000], [1000]])
    read = client.invoices.retrieve(invoices[0].id)
    equal("parent", read.parent.subscription_details.subscription, made.id)
    payment = read.payments.data[0]
    equal("status", payment.status, "paid")
    equal("charge", client.charges.retrieve(payment.payment.charge).amount, 2000)
    recent("paid_at", read.status_transitions.paid_at)
    ok("invoices")

    ended = client.subscriptions.cancel(made.id)
    equal("status", ended.status, "canceled")
    recent("ended_at", ended.ended_at)
    ok("cancel subscription")


def meet_errors():
    declined = raised(
        stripe.CardError, lambda: charge(100, "eur", "tok_visa_chargeDeclined")
    )
    equal("status", declined.http_status, 402)
    equal("code", declined.code, "card_declined")
    equal("decline_code", declined.error.decline_code, "generic_decline")
    equal("request_id", declined.request_id[:4], "req_")
    ok("declined card")

    stranger = connect(os.environ["REVOKED_KEY"])
    refused = raised(stripe.AuthenticationError, lambda: stranger.v1.charges.list())
    equal("status", refused.http_status, 401)
    ok("revoked key")


held = create_and_capture()
read_times(held)
list_all()
refund(held)
read_balance()
create_payment_method()
receive()
bill()
meet_errors()
