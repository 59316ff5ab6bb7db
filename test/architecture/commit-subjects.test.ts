import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';

function check(...subjects: readonly string[]): { exitCode: number | null; said: string[] } {
  const { status, stdout } = spawnSync(join(ROOT, '.ci/check-subjects'), {
    input: subjects.map((subject) => `${subject}\n`).join(''),
    encoding: 'utf8',
  });
  return { exitCode: status, said: stdout.split('\n').filter((line) => line !== '') };
}

describe('commit subjects', () => {
  it('have a type, a scope, and at most 72 characters', () => {
    const longest = `fix(webhooks): ${'a'.repeat(57)}`;
    expect(longest).to.have.length(72);
    expect(
      check(
        'feat(webhooks): send a delivery again from the log',
        'fix(storage-postgres): name the table that a role may not read',
        'feat(http)!: refuse unknown parameters',
        longest,
      ),
    ).to.deep.equal({ exitCode: 0, said: [] });
  });

  it('are refused without a scope, without a type, and when they are too long', () => {
    const tooLong = `fix(webhooks): ${'a'.repeat(58)}`;
    const { exitCode, said } = check(
      'docs(readme): say what Paymount is',
      'docs: say what Paymount is',
      'Say what Paymount is',
      tooLong,
    );
    expect(exitCode).to.equal(1);
    expect(said).to.deep.equal([
      'The subject does not have the form "type(scope): what changed": docs: say what Paymount is',
      'The subject does not have the form "type(scope): what changed": Say what Paymount is',
      `The subject has 73 characters; at most 72 are allowed: ${tooLong}`,
    ]);
  });
});
