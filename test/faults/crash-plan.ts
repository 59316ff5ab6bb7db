import type { CrashPoint } from '@paymount/core/kernel';

/** Where a host process dies: at the n-th visit of a named crash point. */
export interface CrashPlan {
  readonly point: string;
  /** 1 for the first visit. */
  readonly visit: number;
}

/** A crash point that carries out the plan with SIGKILL, which nothing can catch or clean up. */
export function toCrashPoint(plan: CrashPlan | undefined): CrashPoint {
  let visits = 0;
  return (name) => {
    if (plan === undefined || name !== plan.point) return;
    visits += 1;
    if (visits !== plan.visit) return;
    process.kill(process.pid, 'SIGKILL');
    // The signal may take a moment; not one statement more may run.
    for (;;);
  };
}
