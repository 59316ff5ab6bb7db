import { holds } from '../small-run.ts';
import { model } from './model/model.ts';

describe('a random sequence of operations', () => {
  holds(model, { seed: 710_866_974 });
});
