/**
 * Named places where the crash tests kill the process, before and after each commit and each call.
 * In production this is an empty function.
 */
export type CrashPoint = (name: string) => void;

/** @defaultValue does nothing */
export const noCrashPoint: CrashPoint = () => {};
