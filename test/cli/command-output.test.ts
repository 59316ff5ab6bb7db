import { expect } from 'chai';
import { type ProgramShape, runProgram } from '../../packages/cli/src/command-line/program.ts';
import { MERCHANT_PROGRAM } from '../../packages/cli/src/merchant-program.ts';
import { PROGRAM } from '../../packages/paymount/src/commands/program.ts';

interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
}

async function run(shape: ProgramShape, ...args: string[]): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const exitCode = await runProgram(shape, args, {
    env: {},
    print: (line) => out.push(line),
    printError: (line) => err.push(line),
  });
  return { exitCode, out: out.join('\n'), err: err.join('\n') };
}

describe('paymount and paymount-cli', () => {
  const programs = [PROGRAM, MERCHANT_PROGRAM];

  for (const args of [
    ['listen', '--help'],
    ['trigger', '--help'],
    ['resend', '--help'],
    ['trigger'],
    ['resend', 'evt_1', '--unknown'],
    ['resend', 'evt_1'],
    ['trigger', 'charge.failed', '--json'],
    ['listen', '--json'],
    ['listen', '--forward-to', 'http://example.com'],
  ]) {
    it(`answer the same to ${args.join(' ')}`, async () => {
      const [whole, alone] = await Promise.all(programs.map((shape) => run(shape, ...args)));
      expect(alone?.err.replaceAll('paymount-cli', 'paymount')).to.equal(whole?.err);
      expect(alone?.out.replaceAll('paymount-cli', 'paymount')).to.equal(whole?.out);
      expect(alone?.exitCode).to.equal(whole?.exitCode);
    });
  }

  it('report a failure as one line, or as one object with --json, with the same exit code', async () => {
    for (const shape of programs) {
      const message = 'Pass the URL to forward to: --forward-to http://127.0.0.1:3000/webhooks.';
      expect(await run(shape, 'listen')).to.deep.equal({
        exitCode: 2,
        out: '',
        err: `${shape.name}: ${message}`,
      });
      const { exitCode, out, err } = await run(shape, '--json', 'listen');
      expect([exitCode, out, JSON.parse(err)]).to.deep.equal([
        2,
        '',
        { error: { code: 'usage', message } },
      ]);
    }
  });

  it('report an unexpected error with the code of the system', async () => {
    const gone = Object.assign(new Error('The disk is gone.'), { code: 'EIO' });
    for (const { describeFailure } of programs) {
      expect(describeFailure(gone)).to.deep.equal({
        exitCode: 1,
        code: 'EIO',
        message: 'The disk is gone.',
      });
      expect(describeFailure('odd')).to.deep.equal({ exitCode: 1, code: 'failed', message: 'odd' });
    }
  });

  it('repeat no secret of a wrong command line', async () => {
    const secret = `whsec_${'c2VjcmV0'.repeat(4)}`;
    for (const shape of programs) {
      const { exitCode, out, err } = await run(shape, 'listen', `--key=${secret}`);
      expect([exitCode, out]).to.deep.equal([2, '']);
      expect(err).not.to.include('c2VjcmV0');
    }
  });

  it('print the version of their package and end with 0', async () => {
    for (const shape of programs) {
      const { exitCode, out } = await run(shape, '--version');
      expect(exitCode).to.equal(0);
      expect(out).to.match(/^\d+\.\d+\.\d+$/);
    }
  });
});
