/**
 * Named places where the crash tests kill the process, on both sides of each commit and of each
 * call. In production nothing is injected and a visit costs one call of an empty function.
 */
export type CrashPoint = (name: string) => void;

/** @defaultValue does nothing */
export const noCrashPoint: CrashPoint = () => {};
