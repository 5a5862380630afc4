import { type Run, runProgram } from './python.ts';

/** Runs datacontract-cli, the program with which people write and test data contracts. */

/** Runs a command of the program in a folder. */
export const runDataContract = (
  environment: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Run> =>
  runProgram(environment, 'datacontract', args, { cwd, env: { COLUMNS: '300', NO_COLOR: '1', ...env } });
