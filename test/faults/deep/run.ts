// `npm run test:deep -- [NAME...] [--full|--small] [--runs=N] [--seed=N]`: random sequences and races.
import { runScenarios } from '../run-scenarios.ts';
import { SCENARIOS } from './all-scenarios.ts';

process.exitCode = await runScenarios('deep', SCENARIOS);
