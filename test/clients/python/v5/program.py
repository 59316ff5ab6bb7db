"""Drives the API with stripe-python 5: charges, refunds, deliveries, a subscription."""

import os

import stripe
from receiver import Receiver, equal, ok, raised, recent

stripe.api_base = os.environ["API_URL"]
stripe.api_key = os.environ["SECRET_KEY"]
# This package names no version unless it is told one; newer ones name their own.
stripe.api_version = "2022-11-15"


def charge(amount, currency, source, **more):
    return stripe.Charge.create(
        amount=amount, currency=currency, source=source, **more
    )


def create_and_capture():
    made = charge(
        4200, "eur", "tok_visa", description="Two tickets", metadata={"order": "o_1"}
    )
    equal("amount", made.amount, 4200)
    equal("currency", made.currency, "eur")
    equal("status", made.status, "succeeded")
    equal("last4", made.payment_method_details.card.last4, "4242")
    found = stripe.Charge.retrieve(made.id)
    equal("metadata", found.metadata.to_dict(), {"order": "o_1"})
    ok("create")

    authorized = charge(1000, "eur", "tok_mastercard", capture=False)
    equal("captured", authorized.captured, False)
    captured = stripe.Charge.capture(authorized.id, amount=600)
    equal("captured", captured.captured, True)
    equal("amount_captured", captured.amount_captured, 600)
    ok("capture")
    return captured


def read_times(held):
    recent("created", held.created)
    since = stripe.Charge.list(created={"gte": held.created})
    equal("the newest charge", since.data[0].id, held.id)
    ok("times")


def list_all():
    made = [charge(100 + count, "usd", "tok_visa").id for count in range(5)]
    seen = [each.id for each in stripe.Charge.list(limit=2).auto_paging_iter()]
    equal("the number of charges", len(seen), 7)
    equal("the newest charges", seen[:5], made[::-1])
    ok("list")


def refund(held):
    made = stripe.Refund.create(charge=held.id, amount=200)
    equal("amount", made.amount, 200)
    equal("status", made.status, "succeeded")
    equal("charge", made.charge, held.id)
    recent("created", made.created)
    equal("amount_refunded", stripe.Charge.retrieve(held.id).amount_refunded, 200)
    page = stripe.Refund.list(charge=held.id)
    equal("the refunds", [each.id for each in page.data], [made.id])
    ok("refund")


def read_balance():
    pending = stripe.Balance.retrieve().pending
    amounts = [each.amount for each in pending if each.currency == "eur"]
    equal("the pending amounts", amounts, [4600])
    newest = stripe.BalanceTransaction.list(limit=1).data[0]
    equal("type", newest.type, "refund")
    equal("net", newest.net, -200)
    recent("created", newest.created)
    equal("it is available later", newest.available_on >= newest.created, True)
    ok("balance")


def create_payment_method():
    made = stripe.PaymentMethod.create(type="card", card={"token": "tok_visa"})
    equal("last4", made.card.last4, "4242")
    recent("created", made.created)
    equal("type", stripe.PaymentMethod.retrieve(made.id).type, "card")
    ok("payment method")


def receive():
    receiver = Receiver()
    endpoint = stripe.WebhookEndpoint.create(
        url=receiver.url,
        enabled_events=["charge.succeeded"],
        api_version=stripe.api_version,
    )
    equal("api_version", endpoint.api_version, stripe.api_version)
    equal("status", stripe.WebhookEndpoint.retrieve(endpoint.id).status, "enabled")
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
        stripe.error.SignatureVerificationError,
        lambda: stripe.Webhook.construct_event(body + b" ", header, endpoint.secret),
    )
    equal("type", stripe.Event.retrieve(event.id).type, "charge.succeeded")
    equal("deleted", stripe.WebhookEndpoint.delete(endpoint.id).deleted, True)
    ok("delivery")


def sell(amount):
    price = stripe.Price.create(
        currency="eur",
        unit_amount=amount,
        product_data={"name": "Tea"},
        recurring={"interval": "month"},
    )
    return price.id


def amounts(invoice):
    return [each.amount for each in invoice.lines.data]


def bill():
    customer = stripe.Customer.create(name="Ada").id
    method = stripe.PaymentMethod.attach("pm_card_visa", customer=customer)
    basic, pro = sell(1000), sell(3000)
    made = stripe.Subscription.create(
        customer=customer,
        items=[{"price": basic}],
        default_payment_method=method.id,
        expand=["latest_invoice"],
    )
    equal("status", made.status, "active")
    recent("start_date", made.start_date)
    equal("amount_paid", made.latest_invoice.amount_paid, 1000)
    ok("create subscription")

    changed = stripe.Subscription.modify(
        made.id,
        items=[{"id": made["items"].data[0].id, "price": pro}],
        proration_behavior="always_invoice",
        proration_date=made.start_date,
    )
    equal("price", changed["items"].data[0].price.id, pro)
    ok("change subscription")

    invoices = stripe.Invoice.list(subscription=made.id).data
    equal("the lines", [amounts(each) for each in invoices], [[-1000, 3000], [1000]])
    read = stripe.Invoice.retrieve(invoices[0].id, expand=["charge"])
    equal("paid", read.paid, True)
    equal("subscription", read.subscription, made.id)
    equal("charge", read.charge.amount, 2000)
    recent("paid_at", read.status_transitions.paid_at)
    ok("invoices")

    ended = stripe.Subscription.delete(made.id)
    equal("status", ended.status, "canceled")
    recent("ended_at", ended.ended_at)
    ok("cancel subscription")


def meet_errors():
    declined = raised(
        stripe.error.CardError, lambda: charge(100, "eur", "tok_visa_chargeDeclined")
    )
    equal("status", declined.http_status, 402)
    equal("code", declined.code, "card_declined")
    equal("decline_code", declined.error.decline_code, "generic_decline")
    equal("request_id", declined.request_id[:4], "req_")
    ok("declined card")

    refused = raised(
        stripe.error.AuthenticationError,
        lambda: stripe.Charge.list(api_key=os.environ["REVOKED_KEY"]),
    )
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
