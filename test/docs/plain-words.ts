/** A construction that readers stumble over. */
interface Stumble {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

const STUMBLES: readonly Stumble[] = [
  { pattern: /\btold the\b/i, instead: '"reported the"' },
  { pattern: /\band (this|the) \w+ has none\b/i, instead: '"does not have"' },
  { pattern: /\bnobody can tell\b/i, instead: '"it is unknown"' },
  { pattern: /\bwhoever\b/i, instead: '"anyone who", or name the person' },
  { pattern: /(?<!there )\b(is|are|was|were) none\b/i, instead: '"is not a", or "does not exist"' },
  { pattern: /\bwhat (is|are|has|have) (no|none)\b/i, instead: '"anything that is not"' },
  { pattern: /\b(is|are|was|were|be) told\b/i, instead: '"gets", "receives" or "is notified"' },
  { pattern: /\btold (once|when|why|each|after)\b/i, instead: '"called once", "called when"' },
  { pattern: /\btwice is harmless\b/i, instead: '"safe to call twice"' },
  { pattern: /\bthis once\b/i, instead: '"only once"' },
  { pattern: /\bwhat (work|that|it) comes to\b/i, instead: '"the result of"' },
  { pattern: /\bis not looked at\b/i, instead: '"Paymount ignores"' },
  { pattern: /\bof (its|their|our) own making\b/i, instead: '"that Paymount made"' },
  { pattern: /\bbe it\b/i, instead: '"also"' },
  { pattern: /\bsave for\b/i, instead: '"except"' },
  { pattern: /\b(became|becomes|become) of\b/i, instead: '"the outcome of"' },
  { pattern: /\b(let|lets) in\b/i, instead: '"accepted"' },
  { pattern: /\b(to|cannot|could not|can) be had\b/i, instead: '"is available"' },
  {
    pattern:
      /(?<!there )\bis no (id|time|moment|address|proof|event(?! type)|program|number|adapter|URL)\b/i,
    instead: '"is not a valid"',
  },
  { pattern: /\bsuch (has|have|are)\b/i, instead: 'name the things' },
  { pattern: /\b(shall|thereof|anew)\b/i, instead: '"must", "of it", "again"' },
  { pattern: /\boutliv(e|es|ed)\b/i, instead: '"still works after", or "ends with"' },
  { pattern: /\b(hand|hands|handed) (it |them )?back\b/i, instead: '"returns", or "releases"' },
  { pattern: /\bjudg(e|es|ed|ing)\b/i, instead: '"checks", "validates" or "decides"' },
  { pattern: /\b(goes|go) on\b/i, instead: '"continues"' },
  { pattern: /\bunder way\b/i, instead: '"in progress"' },
  { pattern: /\bwith the cure\b/i, instead: '"that says what to do"' },
  { pattern: /\bat boot\b/i, instead: '"at startup"' },
  { pattern: /\b(dial|dials|dialed|dialled|dialing)\b(?!`|\(|\.test\.ts)/i, instead: '"connects"' },
  { pattern: /\b(hear|hears|heard) (of|no|nothing)\b/i, instead: '"gets", or "is notified of"' },
  { pattern: /\b(mend|mends|mended)\b/i, instead: '"fix"' },
  { pattern: /\b(let|lets) go of\b/i, instead: '"releases"' },
  { pattern: /\bwithin reach\b/i, instead: '"that the admin may see"' },
];

/**
 * Finds constructions that are hard to read.
 * @param text prose, in any number of lines; a construction may run over the end of a line
 * @returns one line for each kind that is found: the words, and what to write instead
 */
export function stumblesIn(text: string): readonly string[] {
  const line = text.replaceAll(/\s+/g, ' ');
  return STUMBLES.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(line);
    return found ? [`"${found[0]}": write ${instead}`] : [];
  });
}
