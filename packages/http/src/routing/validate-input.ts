import {
  type Environment,
  type ErrorCode,
  isErrorCode,
  PaymountError,
} from '@paymount/core/kernel';
import type { z } from 'zod';
import { checkTree } from '../body/check-tree.ts';
import { isTree } from '../body/tree.ts';
import { assertNoForbiddenTexts } from '../forbidden-texts.ts';
import { paramPath } from '../param-path.ts';
import { expectedAt, isIntegerAt } from './expected.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Replaces zod's own messages, which name neither the parameter nor what to do. */
const UNSAID = '';

/**
 * Validates JSON parameters that the host's own code passes, like those of a body.
 * @throws PaymountError `parameter_*`, the codes of the schema, and as `assertNoForbiddenTexts`
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  environment: Environment,
): z.output<Schema> {
  if (!isTree(input)) {
    throw new PaymountError('parameter_invalid', 'The parameters must be an object.');
  }
  const tree = checkTree(input);
  assertNoForbiddenTexts(tree, { cards: environment === 'live' });
  return validateInput(schema, tree);
}

/** As `parseInput`, for parameters that were checked on arrival. */
export function validateInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input, { error: () => UNSAID });
  if (!result.success) throw inputError(result.error, schema, input);
  return result.data;
}

/**
 * The one error for parameters that a schema refused: an unknown name first, because it often
 * explains what seems to be missing; otherwise the first error in the order of the schema.
 * @param input the input of the schema, to distinguish absent from wrong values
 */
function inputError(error: z.core.$ZodError, schema: z.ZodType, input: unknown): PaymountError {
  const issues = error.issues.map((issue) => flatten(issue, []));
  const found = issues.find((issue) => issue.code === 'unrecognized_keys') ?? issues[0];
  return found === undefined
    ? new PaymountError('parameter_invalid')
    : toError(found, schema, input);
}

/** Replaces a union's issue by that of the option which is nearest to the input. */
function flatten(issue: Issue, base: Path): Issue {
  const path = [...base, ...issue.path];
  if (issue.code !== 'invalid_union') return { ...issue, path };
  const best = issue.errors
    .filter((option) => option.length > 0)
    .toSorted((a, b) => distance(a) - distance(b))[0];
  const first = best?.find((each) => each.code === 'unrecognized_keys') ?? best?.[0];
  return first === undefined ? { ...issue, path } : flatten(first, path);
}

/** How far an option of a union is from the input. */
function distance(issues: readonly Issue[]): number {
  let sum = 0;
  for (const issue of issues) {
    if (issue.code === 'invalid_union') sum += Math.min(...issue.errors.map(distance));
    else if (issue.path.length === 0 && issue.code === 'invalid_value') sum += 1000;
    else if (issue.path.length === 0 && issue.code === 'invalid_type') sum += 100;
    else sum += issue.code === 'unrecognized_keys' ? 10 * issue.keys.length : 1;
  }
  return sum;
}

function toError(issue: Issue, schema: z.ZodType, input: unknown): PaymountError {
  if (issue.code === 'unrecognized_keys') {
    const param = paramPath([...issue.path, issue.keys[0] ?? '']);
    return new PaymountError('parameter_unknown', `There is no parameter ${param} here.`, {
      param,
    });
  }
  const code = toErrorCode(issue, schema, valueAt(input, issue.path));
  if (issue.path.length === 0) return new PaymountError(code, issue.message || undefined);
  const param = paramPath(issue.path);
  return new PaymountError(code, buildMessage(code, param, { issue, schema }), { param });
}

function toErrorCode(issue: Issue, schema: z.ZodType, value: unknown): ErrorCode {
  if (value === undefined) return 'parameter_missing';
  if (issue.code === 'custom') {
    const code: unknown = issue.params?.['code'];
    return typeof code === 'string' && isErrorCode(code) ? code : 'parameter_invalid';
  }
  if (value === '') return 'parameter_invalid_empty';
  // Every number of the API is an integer.
  const isNumeric = issue.code === 'invalid_type' && isIntegerAt(schema, issue.path);
  return isNumeric ? 'parameter_invalid_integer' : 'parameter_invalid';
}

function buildMessage(
  code: ErrorCode,
  param: string,
  { issue, schema }: { readonly issue: Issue; readonly schema: z.ZodType },
): string {
  if (code === 'parameter_missing') return `${param} is required.`;
  if (code === 'parameter_invalid_empty') return `${param} must not be empty.`;
  if (issue.message === UNSAID) return `${param} must be ${expectedAt(schema, issue.path)}.`;
  return issue.code === 'custom' ? issue.message : `${param}: ${issue.message}`;
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const segment of path) {
    if (Array.isArray(value)) value = value[Number(segment)];
    else if (isTree(value)) value = value[String(segment)];
    else return undefined;
  }
  return value;
}
