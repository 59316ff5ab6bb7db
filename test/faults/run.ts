// `npm run test:faults -- [NAME...] [--full|--small] [--runs=N] [--seed=N]`: the fault runs.
import { SCENARIOS } from './all-scenarios.ts';
import { runScenarios } from './run-scenarios.ts';

process.exitCode = await runScenarios('fault', SCENARIOS);
