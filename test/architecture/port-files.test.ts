import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/planted-tree.ts';
import { portFaults } from './port-files.ts';

const CORE = join(ROOT, 'packages/core/src');

/** What the core publishes, without the suites that adapters are tested with. */
function filesOfCore(): Record<string, string> {
  const names = readdirSync(CORE, { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => /^(?!conformance\b).*\.ts$/.test(name)).sort();
  return Object.fromEntries(sources.map((name) => [name, readFileSync(join(CORE, name), 'utf8')]));
}

describe('the ports of storage', () => {
  it('are declared in one *-repository.ts for each slice, and named for what they do', () => {
    const files = filesOfCore();
    expect(files).to.include.keys('payments/charges/charge-repository.ts', 'store/stores.ts');
    expect(portFaults(files)).to.deep.equal([]);
  });

  it('are refused in other files, under other names, and in a second file', () => {
    const planted = {
      'payments/payment-storage.ts': `
        export interface PaymentRepositories {
          readonly things: ThingRepository;
          readonly memory: ThingMemory;
        }
        export interface PaymentStorage { transaction(): Promise<PaymentRepositories> }
        export interface ThingUse { begin(): Promise<void> }`,
      'payments/things/thing.ts': `
        export interface Thing { readonly id: string }
        export interface ThingMemory { recall(id: string): Promise<Thing> }
        export interface ThingReader { find(id: string): Promise<Thing> }
        export interface ThingProcessor { make(thing: Thing): Promise<void> }`,
      'payments/things/thing-repository.ts': `
        export interface ThingFilter { readonly id: string }
        export interface ThingRepository { findForUpdate(id: string): Promise<Thing> }
        export interface ThingStore { add(thing: Thing): Promise<void> }`,
      'payments/things/thing-directory-repository.ts': '',
    };
    expect(portFaults(planted)).to.deep.equal([
      'payments/payment-storage.ts: ThingUse is a port of storage, as *-repository.ts has.',
      'payments/things/thing.ts: ThingMemory is a port of storage, as *-repository.ts has.',
      'payments/things/thing.ts: ThingReader is a port of storage, as *-repository.ts has.',
      'payments/things/thing-repository.ts: ThingStore is not a Reader, Repository, Queue or Directory.',
      'payments/things has several port files: thing-repository.ts, thing-directory-repository.ts.',
    ]);
  });
});
