import { holds } from '../small-run.ts';
import { subscriptionRaces } from './subscription-races.ts';

describe('a subscription that many want to change at once', () => {
  holds(subscriptionRaces);
});
