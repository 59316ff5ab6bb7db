import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const PACKAGES = fileURLToPath(new URL('../../../packages', import.meta.url));

/** A regular expression, as it is written in a package. */
export interface WrittenExpression {
  /** The file, below `packages`. */
  readonly file: string;
  readonly expression: RegExp;
}

/** What the source of all packages holds. */
export interface WrittenExpressions {
  readonly literals: readonly WrittenExpression[];
  /** Calls of `RegExp`, whose expressions are made at run time. */
  readonly made: readonly string[];
}

/** Every regular expression of the packages, each once, by way of the compiler's own tree. */
export function expressionsInSource(): WrittenExpressions {
  const literals = new Map<string, WrittenExpression>();
  const made: string[] = [];
  for (const path of sourceFiles()) {
    const file = relative(PACKAGES, path).replaceAll('\\', '/');
    const tree = ts.createSourceFile(
      file,
      readFileSync(path, 'utf8'),
      ts.ScriptTarget.Latest,
      true,
    );
    const look = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf('/');
        const expression = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
        literals.set(node.text, { file, expression });
      } else if (isCallOfRegExp(node)) {
        made.push(`${file}: ${node.getText()}`);
      }
      ts.forEachChild(node, look);
    };
    look(tree);
  }
  return { literals: [...literals.values()], made };
}

function isCallOfRegExp(node: ts.Node): boolean {
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
  return isCall && node.expression.getText() === 'RegExp';
}

function sourceFiles(): readonly string[] {
  return readdirSync(PACKAGES).flatMap((name) => {
    const source = join(PACKAGES, name, 'src');
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(source, path));
  });
}
