import type { ClaimDue } from '@paymount/core/events';

/** `$1` is the shift of a fake clock. now() is one value per statement, so indexes can use it. */
export const NOW = "(now() + $1::double precision * interval '1 ms')";

/**
 * True of every row, and part of the indexes by due time alone. A statement without it cannot use
 * them: so no plan walks all that is due in search of one endpoint, whatever statistics say.
 */
export const BY_TIME = 'd.attempt > 0';

/** The rows `d` that wait for an attempt. Each origin has its own indexes. */
export function pendingSql(s: string, origin: ClaimDue['origin']): string {
  return `${s}.deliveries d WHERE d.state = 'pending' AND d.origin = '${origin}'`;
}
