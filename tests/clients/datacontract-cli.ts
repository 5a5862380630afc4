import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ENVIRONMENTS } from './environments.ts';
import { type Run, runProgram } from './python.ts';

/** Runs datacontract-cli, the program with which people write and test data contracts. */

/** The folder with the schemas of the standard that the program validates against, or undefined without the program. */
export const findPublishedSchemas = async (): Promise<string | undefined> => {
  const provided = await ENVIRONMENTS.dataContract();
  if ('missing' in provided) return undefined;
  const [version = ''] = await readdir(join(provided.folder, 'lib'));
  return join(provided.folder, 'lib', version, 'site-packages', 'datacontract', 'schemas');
};

/** Runs a command of the program in a folder. */
export const runDataContract = (
  environment: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Run> =>
  runProgram(environment, 'datacontract', args, { cwd, env: { COLUMNS: '300', NO_COLOR: '1', ...env } });
