type Present<Values> = { [Name in keyof Values]?: NonNullable<Values[Name]> };

/** Leaves out what is null: absent is absent in the domain, never `undefined` or `null`. */
export function present<Values extends object>(values: Values): Present<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Present<Values>;
}
