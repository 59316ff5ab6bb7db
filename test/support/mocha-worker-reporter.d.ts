/** Mocha's own reporter of its workers has no types. */
declare module 'mocha/lib/nodejs/reporters/parallel-buffered.cjs' {
  import type Mocha from 'mocha';

  export default class ParallelBuffered extends Mocha.reporters.Base {}
}
