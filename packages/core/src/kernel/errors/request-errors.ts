export type ErrorType =
  | 'invalid_request_error'
  | 'idempotency_error'
  | 'authentication_error'
  | 'permission_error'
  | 'card_error'
  | 'rate_limit_error'
  | 'api_error';

export interface ErrorCodeFacts {
  readonly type: ErrorType;
  readonly status: number;
  /** One sentence: what happened. */
  readonly meaning: string;
  /** One sentence: what the caller can do. */
  readonly cure: string;
}

/** An error of the request itself; the default status is 400. */
export const invalid = (meaning: string, cure: string, status = 400): ErrorCodeFacts => ({
  type: 'invalid_request_error',
  status,
  meaning,
  cure,
});
/** Errors of type `invalid_request_error`: the caller's request cannot be served as it is. */
export const REQUEST_ERRORS = {
  parameter_missing: invalid(
    'A required parameter is absent.',
    'Send the parameter that `param` names.',
  ),
  parameter_unknown: invalid(
    'The route takes no such parameter.',
    'Remove it, or correct its spelling.',
  ),
  parameter_invalid: invalid(
    'A parameter has a value that the route does not take.',
    'Send a value as the message describes.',
  ),
  parameter_invalid_empty: invalid(
    'A parameter that needs a value is empty.',
    'Send a value, or leave the parameter out.',
  ),
  parameter_invalid_integer: invalid(
    'A parameter must be an integer in JSON, or its digits in a form.',
    'Send a whole number without quotes, plus or exponent.',
  ),
  parameter_duplicate: invalid(
    'A single-valued parameter was sent more than once.',
    'Send it once.',
  ),
  parameters_exclusive: invalid(
    'Parameters that exclude each other were sent together.',
    'Send one of them.',
  ),
  client_secret_not_allowed: invalid(
    'A public platform has no client secret.',
    'Use PKCE, or register a confidential platform.',
  ),
  client_secret_limit_reached: invalid(
    'The platform already has two client secrets that work.',
    'Revoke one of them first.',
    409,
  ),
  amount_too_small: invalid('The amount is below 1 minor unit.', 'Send 1 or more.'),
  amount_too_large: invalid(
    'The amount is above 99,999,999 minor units.',
    'Send 99,999,999 or less.',
  ),
  invalid_currency: invalid(
    'The currency is not an ISO 4217 code, or the processor does not take it.',
    'Send a code such as `eur`.',
  ),
  metadata_limit_exceeded: invalid(
    'Metadata holds more than 50 keys, a key over 40 characters, or a value over 500.',
    'Shorten or remove entries.',
  ),
  invalid_json: invalid('The body is not valid JSON in UTF-8.', 'Send one JSON object.'),
  invalid_cursor: invalid(
    '`starting_after` or `ending_before` is not the id of an object in this list, or `Last-Event-ID` is not the id of an event of the last 30 days.',
    'Send the id of an object that this list or stream returned.',
  ),
  expand_invalid: invalid(
    'A path in `expand` cannot be expanded, or is deeper than 4.',
    'Expand only the fields that the reference marks.',
  ),
  resource_missing: invalid(
    'No object with this id exists in this account and environment.',
    'Check the id and the key that the request used.',
  ),
  raw_card_data_not_allowed: invalid(
    'Card numbers are not accepted here.',
    'Send a token from the processor instead, and never send card numbers through your server. If your text is not a card number but looks like one, put a letter between its digits.',
  ),
  secret_in_text: invalid(
    'A parameter holds a key or signing secret.',
    'Remove it from the text. If the text is also stored elsewhere, rotate the key.',
  ),
  live_card_in_sandbox: invalid(
    'A real card number was sent to the test environment.',
    'Use one of the published test numbers.',
  ),
  test_mode_only: invalid(
    'This works only in the test environment; nothing was changed.',
    'Use a key of the test environment.',
  ),
  token_already_used: invalid(
    'The token was already used, or is older than 15 minutes.',
    'Create a new token.',
  ),
  charge_already_captured: invalid('The charge is already captured.', 'No action is needed.'),
  charge_already_refunded: invalid(
    'The charge is already fully refunded.',
    'There is no amount left to refund.',
  ),
  charge_not_captured: invalid(
    'An authorized charge can only be refunded in full.',
    'Capture it first, or cancel it.',
  ),
  charge_expired_for_capture: invalid(
    'The authorization expired before it was captured.',
    'Create a new charge.',
  ),
  charge_not_refundable: invalid(
    'A failed or canceled charge has nothing to refund.',
    'Refund a succeeded charge.',
  ),
  charge_pending: invalid(
    'The outcome of the charge is not known yet.',
    'Wait for its event, then try again.',
  ),
  refund_amount_exceeds_charge: invalid(
    'The refund is larger than the amount of the charge that is not refunded yet.',
    'Refund at most the remaining amount.',
  ),
  capture_amount_exceeds_authorization: invalid(
    'The capture is larger than the authorization.',
    'Capture at most the authorized amount.',
  ),
  balance_insufficient: invalid(
    'The balance does not cover the refund or the payout.',
    'Wait for further charges, or ask for at most what `GET /v1/balance` shows as available.',
  ),
  status_transition_invalid: invalid(
    'The status of the object does not allow this.',
    'Retrieve it and check its status.',
  ),
  payment_method_unattached: invalid(
    'The payment method is not attached to this customer.',
    'Attach it to the customer first, or leave `customer` out.',
  ),
  payment_method_limit_reached: invalid(
    'The customer has 100 payment methods.',
    'Detach one of them first.',
  ),
  payment_method_unusable: invalid(
    'The payment method was already used for a charge, is attached to another customer, was detached, is blocked because its bank refused a debit, or was a bank account that nobody used for 7 days.',
    'Create a new payment method.',
  ),
  operation_not_supported: invalid(
    'The processor of this environment cannot do this.',
    'Do as the message says. If the adapter lacks a capability, the message names it.',
  ),
  sealing_keys_missing: invalid(
    'Live secrets cannot be stored, because this installation has no sealing keys of its own.',
    'Ask the operator to pass `sealingKeys` to `createPaymount`.',
    409,
  ),
  event_type_unknown: invalid(
    'An entry of `enabled_events` is not an event type.',
    'Use the type that the message suggests.',
  ),
  endpoint_limit_reached: invalid(
    'The account has 50 endpoints in this environment.',
    'Delete an endpoint first.',
  ),
  key_limit_reached: invalid(
    'The account has 100 active keys in this environment.',
    'Revoke a key first.',
  ),
  url_not_allowed: invalid(
    'The URL of the endpoint is not allowed.',
    'Correct it as the message says.',
  ),
  object_too_large: invalid(
    'The object would exceed 256 KiB in an event.',
    'Send less metadata or text.',
  ),
  multiple_credentials: invalid('The request carries two `Authorization` headers.', 'Send one.'),
  key_in_url: invalid(
    'The URL contains a credential.',
    'Send it in the `Authorization` header. Rotate the key, because URLs are often logged.',
  ),
  route_missing: invalid('This route does not exist.', 'Compare the path with the reference.', 404),
  method_not_allowed: invalid(
    'The route does not take this method.',
    'Use a method that `Allow` lists.',
    405,
  ),
  body_too_large: invalid(
    'The body exceeds 512 KiB, or 102,400 characters; with a publishable key 128 KiB; a file 5 MB; a request to OAuth 16 KiB.',
    'Send less.',
    413,
  ),
  too_many_headers: invalid(
    'The request has 1,000 header lines or more, or more than the host lets its server keep.',
    'Send fewer.',
    431,
  ),
  notice_refused: invalid(
    'The adapter of the processor did not accept this notice, for example because its signature is wrong. Nothing was stored.',
    'If the processor sent it, look in the log for the reason: this error has the id of the request. The processor will send it again.',
  ),
  body_timeout: invalid(
    'The body did not arrive in time: within 10 seconds, with a publishable key within 3, a report of leaks within 2.',
    'Send the request again.',
    408,
  ),
  unsupported_content_type: invalid(
    'The body is neither JSON nor a form in UTF-8, or is compressed.',
    'Send `application/json` or `application/x-www-form-urlencoded`; a file is sent as `multipart/form-data`.',
    415,
  ),
  environment_unknown: invalid(
    'The host name does not belong to an environment.',
    'Check the address.',
    421,
  ),
  ip_list_excludes_used_addresses: invalid(
    'The list leaves out addresses that used the key in the last 30 days.',
    'Add the addresses that the message names, or send `confirm_lockout=true`.',
    409,
  ),
  key_not_rotatable: invalid(
    'The key was replaced or revoked, or has expired, so it cannot be rotated.',
    'Rotate its successor, or create a new key.',
    409,
  ),
  secret_rotation_limit: invalid(
    'The endpoint already has three active signing secrets.',
    'Wait until one expires, or rotate with `overlap_seconds=0`.',
    409,
  ),
  response_too_large: invalid(
    'The answer would have more than 32 MiB, or with the objects that `expand` adds more than 8 MiB.',
    'Send a smaller `limit`, or expand fewer fields.',
  ),
  list_too_slow: invalid(
    'Reading this page of the list took longer than two seconds.',
    'Send a range in `created` if the list takes it, or a smaller `limit`.',
  ),
} as const satisfies Record<string, ErrorCodeFacts>;
