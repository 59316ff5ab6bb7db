import { type V1Route, v1 } from './route-row.ts';

/** The evidence that is a file. */
const FILES = [
  'cancellation_policy',
  'customer_communication',
  'customer_signature',
  'receipt',
  'duplicate_charge_documentation',
  'refund_policy',
  'service_documentation',
  'shipping_documentation',
  'uncategorized_file',
];

/** The routes of disputes, and of the files that answer them. */
export const DISPUTE_ROUTES: readonly V1Route[] = [
  v1('GET /v1/disputes', 'listDisputes', 'disputes:write', {
    lists: 'dispute',
    ids: { test_clock: { of: ['testClock'] }, charge: { of: ['charge'] } },
  }),
  v1('GET /v1/disputes/{id}', 'retrieveDispute', 'disputes:write', { of: 'dispute' }),
  v1('POST /v1/disputes/{id}', 'updateDispute', 'disputes:write', {
    of: 'dispute',
    body: () => ({ metadata: { changed: 'yes' } }),
    ids: Object.fromEntries(FILES.map((name) => [`evidence[${name}]`, { of: ['file'] }])),
  }),
  v1('POST /v1/disputes/{id}/close', 'closeDispute', 'disputes:write', { of: 'acceptable' }),
  v1('POST /v1/files', 'createFile', 'disputes:write', {
    // A form of texts has no file in it.
    body: () => ({ purpose: 'dispute_evidence', file: 'receipt.pdf' }),
    answer: '400 parameter_invalid',
  }),
  v1('GET /v1/files', 'listFiles', 'disputes:write', { lists: 'file' }),
  v1('GET /v1/files/{id}', 'retrieveFile', 'disputes:write', { of: 'file' }),
];
