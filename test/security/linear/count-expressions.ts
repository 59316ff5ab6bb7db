// Counts the steps back of every regular expression of the source on texts that double, and prints
// those that are too many. A process of its own: how an expression was run before changes the count.
import { z } from 'zod';
import { Backtracks } from './backtracks.ts';
import { expressionsInSource } from './expressions-in-source.ts';
import { type Growing, grown, hostileTexts } from './hostile-texts.ts';

/** Steps back for each character of a text that nobody has to look at more closely. */
const FEW = 12;
const SHORT = 60;
/** Beyond the largest bound of a repetition in most expressions. */
const LONG = 800;
const MOST_GROWTH = 2.6;

/** What happened on the text that makes it work hardest, when that is too hard; else undefined. */
function steepness(expression: RegExp): string | undefined {
  const backtracks = new Backtracks(expression);
  for (const text of hostileTexts(expression)) {
    if (staysWithinFew(backtracks, text)) continue;
    const once = backtracks.count(grown(text, LONG));
    const twice = backtracks.count(grown(text, 2 * LONG));
    if (twice === Infinity || twice > MOST_GROWTH * once) {
      return `${expression} on ${JSON.stringify(text)}: ${once} steps back, then ${twice}`;
    }
  }
  return undefined;
}

/** The doubled text has twice the allowance. */
function staysWithinFew(backtracks: Backtracks, text: Growing): boolean {
  return [SHORT, 2 * SHORT].every((length) => {
    const input = grown(text, length);
    return backtracks.isWithin(input, FEW * input.length);
  });
}

/** Expressions of libraries that judge what others send. */
const OF_LIBRARIES = [z.regexes.email, z.regexes.datetime({ offset: true })];
/** Expressions that must be found out. */
const STEEP = [
  /\/+$/,
  / +-?\s*$/,
  /(a+)+$/,
  /^(\w+\s?)*$/,
  /x*y*x*z/,
  /^(a|b|ab)*c/,
  /(.*),(.*),(.*)!/,
  /\B(?=(?:\d{3})+$)/g,
];

const { literals, made } = expressionsInSource();
const judged = [...literals.map(({ expression }) => expression), ...OF_LIBRARIES];
const counted = {
  literals: literals.length,
  made,
  steep: judged.flatMap((expression) => steepness(expression) ?? []),
  unseen: STEEP.filter((expression) => steepness(expression) === undefined).map(String),
};
process.stdout.write(JSON.stringify(counted));
