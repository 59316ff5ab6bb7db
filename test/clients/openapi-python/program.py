"""Uses clients that openapi-python-client generated from the documents of a running service."""

import os
import uuid

from api import AuthenticatedClient
from api.api.charges import capture_charge, create_charge, list_charges
from api.api.refunds import create_refund
from api.models import (
    ChargeCreate,
    ChargeStatus,
    Error,
    ErrorCode,
    MetadataInput,
    PaymentMethod,
    RefundCreate,
    RefundReason,
    RefundStatus,
)
from management import AuthenticatedClient as AdminClient
from management.api.accounts import list_accounts
from management.api.me import retrieve_me

client = AuthenticatedClient(base_url=os.environ["API_URL"], token=os.environ["SECRET_KEY"])
admin = AdminClient(base_url=os.environ["MANAGEMENT_URL"], token=os.environ["ADMIN_TOKEN"])


def sale(source: str = "tok_visa", **more) -> ChargeCreate:
    metadata = MetadataInput.from_dict({"order": "17"})
    return ChargeCreate(amount=4200, currency="eur", source=source, metadata=metadata, **more)


key = str(uuid.uuid4())
made = create_charge.sync(client=client, body=sale(), idempotency_key=key)
again = create_charge.sync(client=client, body=sale(), idempotency_key=key)
assert made.status == ChargeStatus.SUCCEEDED and made.amount == 4200, made
assert made.metadata["order"] == "17" and again.id == made.id, again
print("ok create")

authorized = create_charge.sync(client=client, body=sale(capture=False, expand=["payment_method"]))
assert authorized.status == ChargeStatus.AUTHORIZED, authorized
assert isinstance(authorized.payment_method, PaymentMethod), authorized
captured = capture_charge.sync(authorized.id, client=client)
assert captured.status == ChargeStatus.SUCCEEDED and captured.created == authorized.created, captured
print("ok capture")

page = list_charges.sync(client=client, status=ChargeStatus.SUCCEEDED, limit=1)
rest = list_charges.sync(client=client, starting_after=page.data[0].id)
assert page.has_more and [charge.id for charge in rest.data] == [made.id], rest
print("ok list")

refund = create_refund.sync(
    client=client, body=RefundCreate(charge=made.id, amount=200, reason=RefundReason.DUPLICATE)
)
assert refund.status == RefundStatus.SUCCEEDED and refund.reason == RefundReason.DUPLICATE, refund
print("ok refund")

declined = create_charge.sync_detailed(client=client, body=sale("tok_visa_chargeDeclined"))
assert declined.status_code == 402 and isinstance(declined.parsed, Error), declined
assert declined.parsed.error.code == ErrorCode.CARD_DECLINED, declined
print("ok declined card")

me = retrieve_me.sync(client=admin)
accounts = list_accounts.sync(client=admin, limit=1)
assert me.via == "jwt" and len(accounts.data) == 1, me
print("ok management")
