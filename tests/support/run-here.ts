import { Writable } from 'node:stream';
import type { CommandEnvironment } from '../../src/cli/command.ts';
import { findCommand, parseCommandLine } from '../../src/cli/command-line.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { createOutput } from '../../src/cli/output.ts';

/** Runs a command line of the shell in this process. */

type RanCommand = { readonly code: number; readonly stdout: string; readonly stderr: string };

const createCapture = () => {
  const pieces: string[] = [];
  const stream = new Writable({
    write: (piece, _encoding, done) => {
      pieces.push(String(piece));
      done();
    },
  });
  return { stream: stream as unknown as NodeJS.WriteStream, text: () => pieces.join('') };
};

/** Answers what was printed and the exit code. Failures are thrown, as the shell gets them before it reports them. */
export const runHere = async (line: readonly string[], env: CommandEnvironment): Promise<RanCommand> => {
  const [stdout, stderr] = [createCapture(), createCapture()];
  const { command, args } = findCommand(COMMANDS, line);
  const code = await command.run(parseCommandLine(command, args, env, createOutput(stdout.stream, stderr.stream, {})));
  return { code, stdout: stdout.text(), stderr: stderr.text() };
};
