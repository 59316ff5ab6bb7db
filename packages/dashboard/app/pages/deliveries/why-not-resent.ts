import type { Delivery } from '../../api/resources.ts';

const REASONS: Readonly<Record<Delivery['status'], string | undefined>> = {
  pending: undefined,
  failed: undefined,
  succeeded: 'It has arrived. To send its event again, open the event.',
  parked: 'Its endpoint is disabled. It continues when the endpoint is enabled.',
  canceled: 'It was canceled.',
  skipped: 'Its endpoint was disabled. Send the event again in a replay.',
};

/** Why a delivery cannot be sent again now; undefined if it can. */
export function whyNotResent({ status, attempting }: Delivery): string | undefined {
  return attempting ? 'An attempt is in progress.' : REASONS[status];
}
