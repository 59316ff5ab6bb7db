import { EVENT_TYPES } from '../../ui/event-types.tsx';
import type { Filter } from '../../ui/filters.tsx';

const STATUSES = ['pending', 'succeeded', 'failed', 'parked', 'canceled', 'skipped'];
const ANSWERS = ['2xx', '3xx', '4xx', '5xx'];
const ERRORS: Readonly<Record<string, string>> = {
  timeout: 'No answer in time',
  connection: 'Connection failed',
  tls: 'TLS failed',
  dns: 'Name not found',
  blocked_address: 'Address not allowed',
  redirect: 'Redirect',
  http_status: 'Status of the answer',
  invalid_response: 'Invalid answer',
};

export const DELIVERY_FILTERS: readonly Filter[] = [
  { label: 'Status', name: 'status', options: STATUSES },
  { label: 'Event type', name: 'type', options: EVENT_TYPES },
  { label: 'Answer', name: 'status_class', options: ANSWERS },
  { label: 'Failure', name: 'error', options: Object.keys(ERRORS), words: ERRORS },
];
