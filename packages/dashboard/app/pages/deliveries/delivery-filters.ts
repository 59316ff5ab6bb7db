import { EVENT_TYPES } from '../../ui/event-types.tsx';
import type { Filter } from '../../ui/filters.tsx';
import { FAILURE_NAMES } from './failures.ts';

const STATUSES = ['pending', 'succeeded', 'failed', 'parked', 'canceled', 'skipped'];
const ANSWERS = ['2xx', '3xx', '4xx', '5xx'];
export const DELIVERY_FILTERS: readonly Filter[] = [
  { label: 'Status', name: 'status', options: STATUSES },
  { label: 'Event type', name: 'type', options: EVENT_TYPES },
  { label: 'Answer', name: 'status_class', options: ANSWERS },
  { label: 'Failure', name: 'error', options: Object.keys(FAILURE_NAMES), words: FAILURE_NAMES },
];
