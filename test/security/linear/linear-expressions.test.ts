import { expect } from 'chai';
import { z } from 'zod';
import { Backtracks } from './backtracks.ts';
import { expressionsInSource } from './expressions-in-source.ts';
import { type Growing, grown, hostileTexts } from './hostile-texts.ts';

const LIMIT_MS = 120_000;

/** Steps back for each character of a text that nobody has to look at more closely. */
const FEW = 12;
const SHORT = 60;
/** Beyond the largest bound of a repetition in most expressions. */
const LONG = 800;
const MOST_GROWTH = 2.6;

/** Expressions of libraries that judge what others send. */
const OF_LIBRARIES = [z.regexes.email, z.regexes.datetime({ offset: true })];
/** Made at run time: a copy of an expression that stands in the source. */
const MADE = ['auth/src/leaks/find-credentials.ts: new RegExp(CANDIDATE)'];

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

/**
 * Every regular expression of the source on texts made to defeat it, which double in length: the
 * matcher's own count of steps back must double at most. A text of many short pieces cannot hang a
 * process then, whatever it is.
 */
describe('the work of a regular expression on a text of twice the length', function () {
  this.timeout(LIMIT_MS);
  const { literals, made } = expressionsInSource();

  it('is at most about twice the work, for every expression in the source', () => {
    expect(literals.length).to.be.above(100);
    const expressions = [...literals.map(({ expression }) => expression), ...OF_LIBRARIES];
    expect(expressions.flatMap((expression) => steepness(expression) ?? [])).to.deep.equal([]);
  });

  it('is judged of all: no expression is made at run time but copies of these', () => {
    expect(made).to.deep.equal(MADE);
  });

  it('is seen when it is four times, eight times, or without end', () => {
    for (const steep of [
      /\/+$/,
      / +-?\s*$/,
      /(a+)+$/,
      /^(\w+\s?)*$/,
      /x*y*x*z/,
      /^(a|b|ab)*c/,
      /(.*),(.*),(.*)!/,
      /\B(?=(?:\d{3})+$)/g,
    ]) {
      expect(steepness(steep), String(steep)).to.match(/: \S+ steps back, then \S+$/);
    }
  });
});
