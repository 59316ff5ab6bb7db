import { restore } from './restore.ts';
import { holds } from './small-run.ts';

describe('a backup under load', () => {
  holds(restore);
});
