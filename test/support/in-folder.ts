/** Runs something that reads files of the folder in which a program was started, in another folder. */
export async function inFolder<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const former = process.cwd();
  process.chdir(folder);
  try {
    return await work();
  } finally {
    process.chdir(former);
  }
}
