import { Session } from 'node:inspector';

/** What one run came to: three measures that do not depend on the machine. */
export interface Work {
  /** How often a block of our code, or of a library, was run. */
  readonly blocks: number;
  /** Characters and items that the searches and copies of the language went over. */
  readonly visited: number;
  /** Bytes that were allocated. */
  readonly bytes: number;
}

interface Covered {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** Methods of the language that go over what they are called on, and say nothing of it otherwise. */
const OF_TEXTS = ['split', 'replaceAll', 'trim', 'trimEnd', 'toLowerCase', 'normalize'] as const;
const OF_LISTS = [
  'concat',
  'flat',
  'flatMap',
  'map',
  'filter',
  'includes',
  'indexOf',
  'join',
  'slice',
  'some',
  'every',
  'find',
  'findIndex',
  'reverse',
  'shift',
  'unshift',
  'sort',
  'toSorted',
] as const;
const OF_OBJECTS = ['keys', 'entries', 'values', 'assign'] as const;

/** Our code and the libraries that it calls, not the tests'. */
const COUNTED = /^file:.*\/(?:packages|node_modules)\//;

/**
 * Counts the work of a function instead of its time. Runs in a process of its own, which was
 * started with `--expose-gc --no-opt` and room for everything that one run allocates.
 */
export class WorkCounter {
  readonly #session = new Session();
  #visited = 0;

  constructor() {
    this.#session.connect();
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    this.#watchSearches();
    for (const name of OF_TEXTS) this.#watch(String.prototype, name, (text) => measureLength(text));
    for (const name of OF_LISTS) this.#watch(Array.prototype, name, (list) => measureLength(list));
    const keys = Object.keys;
    for (const name of OF_OBJECTS) this.#watch(Object, name, (_, [of]) => keys(Object(of)).length);
  }

  /** Of one run. It runs twice, as a collection meanwhile takes away from the bytes, never adds. */
  count(run: () => unknown): Work {
    const first = this.#countOnce(run);
    const again = this.#countOnce(run);
    return { ...first, bytes: Math.max(first.bytes, again.bytes) };
  }

  #countOnce(run: () => unknown): Work {
    // A minor one: what earlier runs left over long ago does not count, and takes long to look at.
    globalThis.gc?.({ type: 'minor' });
    this.#visited = 0;
    const before = process.memoryUsage().heapUsed;
    quietly(run);
    const bytes = process.memoryUsage().heapUsed - before;
    const visited = this.#visited;
    const { result } = this.#post('Profiler.takePreciseCoverage') as Covered;
    let blocks = 0;
    for (const { url, functions } of result) {
      if (!COUNTED.test(url)) continue;
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    }
    return { blocks, visited, bytes };
  }

  #post(method: string, parameters: object = {}): unknown {
    let answer: unknown;
    this.#session.post(method, parameters, (error, result) => {
      if (error !== null) throw new Error(error.message);
      answer = result;
    });
    return answer;
  }

  /** A search goes over the text from its start to what it finds. */
  #watchSearches(): void {
    this.#watch(String.prototype, 'indexOf', (text, [, from], found) =>
      found === -1 ? measureLength(text) - Number(from ?? 0) : Number(found) - Number(from ?? 0),
    );
    this.#watch(
      String.prototype,
      'lastIndexOf',
      (text, _, found) => measureLength(text) - Math.max(0, Number(found)),
    );
    this.#watch(String.prototype, 'includes', (text) => measureLength(text));
  }

  #watch(
    owner: object,
    name: string,
    costOf: (self: unknown, args: readonly unknown[], result: unknown) => number,
  ): void {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    const counter = this;
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]) {
        const result = Reflect.apply(original, this, args);
        counter.#visited += Math.max(0, costOf(this, args, result));
        return result;
      },
    });
  }
}

/** Runs it; a refusal is work as well. */
export function quietly(run: () => unknown): void {
  try {
    run();
  } catch {
    // What it says is tested elsewhere.
  }
}

function measureLength(value: unknown): number {
  return (value as { readonly length?: number }).length ?? 0;
}
