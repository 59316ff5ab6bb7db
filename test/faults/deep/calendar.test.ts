import { holds } from '../small-run.ts';
import { calendar } from './calendar.ts';

describe('periods by the calendar', () => {
  holds(calendar, { seed: 24 });
});
