import 'reflect-metadata';
import assert from 'node:assert/strict';
import { type InjectionToken, instanceCachingFactory, container as root } from 'tsyringe';
import { ACCESS_PARTS } from './access-parts.ts';
import { CORE_PARTS } from './core-parts.ts';
import { LEAK_PARTS } from './leak-parts.ts';
import { MANAGEMENT_PARTS } from './management-parts.ts';
import type { BootParts, Factories, Get, Parts } from './parts.ts';

const FACTORIES: Factories = {
  ...CORE_PARTS,
  ...ACCESS_PARTS,
  ...LEAK_PARTS,
  ...MANAGEMENT_PARTS,
};
const tokens = new Map<keyof Parts, symbol>();

function tokenFor<Name extends keyof Parts>(name: Name): InjectionToken<Parts[Name]> {
  const known = tokens.get(name) ?? Symbol(name);
  tokens.set(name, known);
  return known;
}

/**
 * The composition root: one factory creates each part from the earlier parts, once for each
 * `createPaymount()`. All parts are resolved before it returns, so errors appear at startup. It uses
 * no decorators: they need type metadata that neither Node's type stripping nor esbuild writes.
 */
export function compose(given: BootParts): Parts {
  const container = root.createChildContainer();
  const get: Get = (name) => container.resolve(tokenFor(name));
  const parts: Partial<{ -readonly [Name in keyof Parts]: Parts[Name] }> = { ...given };
  const give = <Name extends keyof BootParts>(name: Name): void => {
    container.register(tokenFor(name), { useFactory: () => given[name] });
  };
  const register = <Name extends keyof Factories>(name: Name): void => {
    const make: (get: Get) => Parts[Name] = FACTORIES[name];
    container.register(tokenFor(name), { useFactory: instanceCachingFactory(() => make(get)) });
  };
  const resolve = <Name extends keyof Factories>(name: Name): void => {
    parts[name] = get(name);
  };
  const names = Object.keys(FACTORIES).filter(isMade);
  for (const name of Object.keys(given).filter(isGiven)) give(name);
  for (const name of names) register(name);
  for (const name of names) resolve(name);
  assertWhole(parts);
  return parts;

  function isGiven(name: string): name is keyof BootParts {
    return Object.hasOwn(given, name);
  }
}

function isMade(name: string): name is keyof Factories {
  return Object.hasOwn(FACTORIES, name);
}

function assertWhole(parts: Partial<Parts>): asserts parts is Parts {
  for (const name of Object.keys(FACTORIES)) assert.ok(name in parts, `There is no ${name}.`);
}
