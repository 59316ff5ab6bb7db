/** Something that a test waits for, and gives when it happens. */
export interface Signal {
  readonly given: Promise<void>;
  give(): void;
}

/** A signal that can be awaited. */
export function signal(): Signal {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
