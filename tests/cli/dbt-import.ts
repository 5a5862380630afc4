import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandInput } from '../../src/cli/command.ts';
import { importDbt } from '../../src/cli/import-dbt.ts';
import { createOutput } from '../../src/cli/output.ts';
import type { Service } from '../support/service.ts';

/** Runs `tributary import dbt` on files that a test wrote. */

export type ImportedProject = {
  readonly folder: string;
  /** The database service that `--service` names. */
  readonly warehouse: string;
  /** The files of dbt by their names, without `.json`. */
  readonly files: Readonly<Record<string, object>>;
  readonly user?: string;
};

export type EndedImport = { readonly code: number; readonly printed: string };

export const runDbtImport = async (
  service: Service,
  { folder, warehouse, files, user = 'admin' }: ImportedProject,
): Promise<EndedImport> => {
  for (const [name, file] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify(file));
  }
  let printed = '';
  const stream = { write: (text: string) => (printed += text) } as unknown as NodeJS.WriteStream;
  const input: CommandInput = {
    positionals: [folder],
    text: (name) => (name === 'service' ? warehouse : undefined),
    has: () => false,
    args: [],
    env: {},
    output: createOutput(stream, stream, {}),
  };
  const token = await service.token(user);
  const send = async (address: string, init: RequestInit) =>
    service.app.hono.request(new URL(address).pathname + new URL(address).search, init);
  const code = await importDbt(input, { server: 'http://catalog.example', token, send });
  return { code, printed };
};
