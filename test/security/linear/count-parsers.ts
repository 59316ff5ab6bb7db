// Counts the work of every parser on inputs that double, and prints it: one JSON object a line.
import { PARSERS } from './parsers.ts';
import { quietly, WorkCounter } from './work-counter.ts';

/** Doubled, a form of short parameters has as many as are taken. */
const SIZE = 2_000;
/** What is made at the first run alone is made before. */
const FIRST_SIZE = 50;

const counter = new WorkCounter();
for (const [parser, inputs] of Object.entries(PARSERS)) {
  for (const [input, sized] of inputs) {
    quietly(sized(FIRST_SIZE));
    const [once, twice] = [SIZE, 2 * SIZE].map((size) => counter.count(sized(size)));
    process.stdout.write(`${JSON.stringify({ parser, input, once, twice })}\n`);
  }
}
