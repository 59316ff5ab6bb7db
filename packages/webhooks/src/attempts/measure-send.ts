import type { ClaimedDelivery } from '@paymount/core/events';
import type { Telemetry } from '@paymount/core/kernel';
import type { SendResult } from '../egress/send-result.ts';

/**
 * Measures and traces one attempt. Nothing of the trace reaches the receiver: instrumentation of
 * HTTP clients would add headers to the signed request.
 * @param lateMs how long after its due time the attempt starts
 * @returns what `send` returns
 */
export function measureSend(
  telemetry: Telemetry,
  { delivery, lateMs }: { readonly delivery: ClaimedDelivery; readonly lateMs: number },
  send: () => Promise<SendResult>,
): Promise<SendResult> {
  const { origin } = delivery;
  const facts = {
    'paymount.delivery': delivery.id,
    'paymount.event': delivery.eventId,
    'paymount.event_type': delivery.eventType,
    'paymount.endpoint': delivery.endpointId,
    'paymount.attempt': delivery.attempt,
  };
  telemetry.observe('paymount_delivery_lag_seconds', Math.max(0, lateMs) / 1_000, { origin });
  return telemetry.span('paymount.delivery.attempt', facts, async (add) => {
    const result = await telemetry.untraced(send);
    const { outcome } = result;
    const error = result.outcome === 'failed' ? result.errorCode : '';
    add({ 'paymount.outcome': outcome, ...(error !== '' && { 'paymount.error': error }) });
    telemetry.count('paymount_delivery_attempts_total', { outcome, error });
    telemetry.observe('paymount_delivery_attempt_seconds', result.durationMs / 1_000, {});
    if (result.reusedConnection) telemetry.count('paymount_connections_reused_total', {});
    return result;
  });
}
