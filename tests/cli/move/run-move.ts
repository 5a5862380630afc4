import type { CommandDeclaration } from '../../../src/cli/command.ts';
import { parseCommandLine } from '../../../src/cli/command-line.ts';
import { MOVE_COMMANDS } from '../../../src/cli/move/commands.ts';
import { type Move, type OtherCatalog, openMove } from '../../../src/cli/move/move-command.ts';
import { createOutput } from '../../../src/cli/output.ts';
import type { RecordedInstance } from '../../support/recorded-instance.ts';
import type { Service } from '../../support/service.ts';

/** Runs an import from a recorded instance into the service under test, without a process. */

export type RunMove = {
  readonly other: OtherCatalog;
  readonly run: (move: Move) => Promise<number>;
  readonly instance: RecordedInstance;
  readonly service: Service;
};

/** As whom the command writes, and the variables that it sees. */
export type RunOptions = { readonly user?: string; readonly env?: Readonly<Record<string, string>> };

export type EndedMove = { readonly code: number; readonly printed: string };

/** Runs the command with these arguments. A failure that ends the command is thrown. */
export const runMove = async (
  { other, run, instance, service }: RunMove,
  args: readonly string[],
  { user = 'admin', env = {} }: RunOptions = {},
): Promise<EndedMove> => {
  let printed = '';
  const stream = { write: (text: string) => (printed += text) } as unknown as NodeJS.WriteStream;
  const output = createOutput(stream, stream, {});
  const command = MOVE_COMMANDS.find(({ name }) => name === other.command) as CommandDeclaration;
  const input = parseCommandLine(command, ['--server', instance.address, ...args], env, output);
  const token = await service.token(user);
  const send = async (address: string, init: RequestInit) =>
    service.app.hono.request(new URL(address).pathname + new URL(address).search, init);
  const connect = async () => ({ server: 'http://catalog.example', token, send });
  return { code: await run(await openMove(input, other, connect)), printed };
};
