import type { Address } from '../../use-address.ts';

/** Which results of events a replay takes, in words. */
export const STATES: Readonly<Record<string, string>> = {
  undelivered: 'That did not arrive',
  failed: 'Whose deliveries failed',
  skipped: 'That a disabled endpoint missed',
  succeeded: 'That arrived',
};

/** What a user says of a replay. */
export interface ReplayDraft {
  readonly endpoint: string;
  readonly to: string;
  readonly state: string;
  readonly types: readonly string[];
  /** Empty for none; undefined while what is entered is no time. */
  readonly from: string | undefined;
  readonly until: string | undefined;
}

/** What the address proposes, such as after an endpoint was enabled. */
export function draftFrom({ endpoint, states, from }: Address): ReplayDraft {
  return {
    endpoint: endpoint ?? '',
    to: '',
    state: states ?? 'undelivered',
    types: [],
    from: from ?? '',
    until: '',
  };
}

/** What must be corrected before it can be counted, as a sentence. */
export function missingIn({ from, until }: ReplayDraft): string | undefined {
  return from === undefined || until === undefined ? 'Correct the time.' : undefined;
}

/** The server wants it said that all events are meant. */
const ALL = { created: { gte: '1970-01-01T00:00:00Z' } };

/** The body of the request. */
export function bodyOf({ endpoint, to, state, types, from, until }: ReplayDraft): object {
  const created = { ...(from && { gte: from }), ...(until && { lt: until }) };
  const body = {
    ...(endpoint !== '' && { endpoint }),
    ...(to !== '' && { to }),
    ...(state !== '' && { states: [state] }),
    ...(types.length > 0 && { types }),
    ...(Object.keys(created).length > 0 && { created }),
  };
  return Object.keys(body).length > 0 ? body : ALL;
}
