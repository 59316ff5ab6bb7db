import { ERROR_CODES, type ErrorCode, newId, PaymountError } from '@paymount/core/kernel';
import { renderError } from '@paymount/http';
import { expect } from 'chai';

/** Every code of a status at which SDKs need to be told whether to send the same request again. */
const SHOULD_RETRY: Partial<Record<ErrorCode, string>> = {
  bytes_limit_reached: 'true',
  idempotency_key_in_use: 'true',
  lock_timeout: 'true',
  operation_in_progress: 'true',
  subscription_renewal_due: 'true',
  processor_error: 'true',
  test_clock_advancing: 'true',
  client_secret_limit_reached: 'false',
  delivery_not_pending: 'false',
  endpoint_disabled: 'false',
  event_expunged: 'false',
  hook_missing: 'false',
  hook_refused: 'false',
  invoice_payment_in_progress: 'false',
  ip_list_excludes_used_addresses: 'false',
  key_not_rotatable: 'false',
  notice_not_open: 'false',
  notice_unreadable: 'false',
  open_replays_limit_reached: 'false',
  operation_not_open: 'false',
  operation_under_review: 'false',
  rate_limit: 'false',
  replay_finished: 'false',
  sealing_keys_missing: 'false',
  secret_rotation_limit: 'false',
  settlement_difference_changed: 'false',
  waiting_replays_limit_reached: 'false',
};

function shouldRetry(error: PaymountError): string | undefined {
  return renderError(error, newId('req')).headers?.['Stripe-Should-Retry'];
}

describe('Stripe-Should-Retry', () => {
  it('is on every 409, 429 and 502, and says whether the same request can succeed', () => {
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    const told = codes.filter((code) => [409, 429, 502].includes(ERROR_CODES[code].status));
    expect(told.sort()).to.deep.equal(Object.keys(SHOULD_RETRY).sort());
    for (const code of codes) {
      expect(shouldRetry(new PaymountError(code)), code).to.equal(SHOULD_RETRY[code]);
    }
  });

  it('is true of a limit that lets a request in again while an SDK waits', () => {
    const limited = (retryAfterSeconds: number): PaymountError =>
      new PaymountError('rate_limit', undefined, { retryAfterSeconds });
    expect(shouldRetry(limited(1))).to.equal('true');
    expect(shouldRetry(limited(60))).to.equal('true');
    expect(shouldRetry(limited(61))).to.equal('false');
  });

  it('is false of a 502 that is kept under the key of the request', () => {
    const cause = new Error('inner');
    const kept = new PaymountError('processor_error', 'why', { cause, extra: { a: 1 } }).kept();
    expect(shouldRetry(kept)).to.equal('false');
    expect(kept).to.deep.include({ code: 'processor_error', message: 'why', extra: { a: 1 } });
    expect(kept.cause).to.equal(cause);
  });
});
