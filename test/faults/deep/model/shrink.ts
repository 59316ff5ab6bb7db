/**
 * Makes a failing sequence shorter: leaves out half of it, then quarters, and so on to single steps,
 * as long as it still fails.
 * @param failsAt the index of the step at which a sequence fails; undefined if it does not
 * @param hasTime asked before each try
 * @returns the shortest sequence that was found to fail
 */
export async function shrink<Step>(
  steps: readonly Step[],
  failsAt: (steps: readonly Step[]) => Promise<number | undefined>,
  hasTime: () => boolean,
): Promise<readonly Step[]> {
  let failing = steps;
  for (let size = Math.ceil(failing.length / 2); size >= 1; size = halved(size)) {
    for (let start = 0; start < failing.length && hasTime(); ) {
      const shorter = [...failing.slice(0, start), ...failing.slice(start + size)];
      const index = shorter.length === 0 ? undefined : await failsAt(shorter);
      if (index === undefined) start += size;
      // What comes after the failure has nothing to do with it.
      else failing = shorter.slice(0, index + 1);
    }
  }
  return failing;
}

/** 1 is the last. */
function halved(size: number): number {
  return size === 1 ? 0 : Math.ceil(size / 2);
}
