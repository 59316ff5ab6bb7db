// Times every parser on the largest input that it gets in a server, and prints it: one JSON object a line.
import { PARSERS } from './parsers.ts';
import { quietly } from './work-counter.ts';

/** Node takes headers, a target and a query of together 16 KiB. */
const HEADERS = 16_384;
const BODY = 524_288;
const SIGNED_BODY = 1_048_576;
/** All names and texts of a body together; each input of these parsers is read up to three times. */
const TEXTS = 34_000;
/** The parameters of a body, in characters of a short name. */
const NAMES = 4_000;
/** Each run may meet a collection, and the first ones are compiled. */
const RUNS = 5;

/** The others read headers, or what the commands of a developer read at any length. */
const LARGEST: Readonly<Record<string, number>> = {
  'a form': BODY,
  'a JSON body': BODY,
  'names that a host parsed flat': BODY,
  'a tree': TEXTS,
  'parameters by a schema': NAMES,
  'texts that may hold secrets or cards': TEXTS,
  'card numbers': TEXTS,
  credentials: TEXTS,
  'texts that are shown': TEXTS,
  'a path of a parameter': NAMES,
  metadata: NAMES,
  'texts, times, addresses of mail': TEXTS,
  'ids and cursors': TEXTS,
  'event patterns': TEXTS,
  'paths in expand': TEXTS,
  'a fingerprint': NAMES,
  'a report of leaks': SIGNED_BODY,
};

for (const [parser, inputs] of Object.entries(PARSERS)) {
  for (const [input, sized] of inputs) {
    const run = sized(LARGEST[parser] ?? HEADERS);
    let ms = Number.POSITIVE_INFINITY;
    for (let count = 0; count < RUNS; count += 1)
      ms = Math.min(
        ms,
        cpuMs(() => quietly(run)),
      );
    process.stdout.write(`${JSON.stringify({ parser, input, ms })}\n`);
  }
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
