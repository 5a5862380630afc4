#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../errors.ts';
import { packageRoot } from '../graph/package-root.ts';
import { printCommandHelp, printGroupHelp, printOverview } from './command-help.ts';
import { commandsBelow, findCommand, parseCommandLine } from './command-line.ts';
import { COMMANDS } from './commands.ts';
import { createOutput, type Output } from './output.ts';
import { endQuietly } from './quiet-end.ts';
import { isUsageMistake } from './usage-error.ts';

/**
 * The `tributary` command line. Start here: `commands.ts` is the table of all commands, `command.ts` says what a
 * command declares, and `command-line.ts` parses by it. Commands that call a running service use `service-client.ts`.
 */

const WRONG_USAGE = 2;

const printVersion = async (output: Output): Promise<void> => {
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  output.line(`tributary ${version}`);
};

/** Reports operator mistakes in one sentence; anything else is a defect and shows its stack. */
const reportFailure = (failure: unknown, output: Output): void => {
  const isMistake = failure instanceof StartupError || isUsageMistake(failure);
  if (isMistake) output.note(failure.message);
  else console.error(failure);
};

/** Whether a switch of the whole shell is among the flags, which end at a lone `--`. */
const asksFor = (args: readonly string[], names: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? args.length : end).some((arg) => names.includes(arg));
};

const runLine = async (line: readonly string[], output: Output): Promise<number> => {
  const [first = ''] = line;
  if (['help', '--help', '-h'].includes(first) && line.length === 1) {
    printOverview(COMMANDS, output);
    return 0;
  }
  if (asksFor(line, ['--version', '-V'])) {
    await printVersion(output);
    return 0;
  }
  // A line without a command starts the service, with or without flags.
  const words =
    first === 'help' ? [...line.slice(1), '--help'] : first === '' || first.startsWith('-') ? ['serve', ...line] : line;
  const [word = ''] = words;
  const isGroup = COMMANDS.every(({ name }) => name !== word) && commandsBelow(COMMANDS, word).length > 0;
  if (isGroup && words.length === 2 && asksFor(words, ['--help', '-h'])) {
    printGroupHelp(commandsBelow(COMMANDS, word), output);
    return 0;
  }
  const { command, args } = findCommand(COMMANDS, words);
  if (asksFor(args, ['--help', '-h'])) {
    printCommandHelp(command, commandsBelow(COMMANDS, command.name), output);
    return 0;
  }
  try {
    return await command.run(parseCommandLine(command, args, process.env, output));
  } catch (failure) {
    reportFailure(failure, output);
    if (!isUsageMistake(failure)) return command.failureCode ?? 1;
    output.note(`«tributary ${command.name} --help» explains the command.`);
    return WRONG_USAGE;
  }
};

/** Waits until everything written has left the process: output into a pipe is not synchronous. */
const flush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));

const output = createOutput(process.stdout, process.stderr, process.env);
const { codeOf } = endQuietly(process, output);
const code = await runLine(process.argv.slice(2), output).catch((failure: unknown) => {
  reportFailure(failure, output);
  return isUsageMistake(failure) ? WRONG_USAGE : 1;
});
output.clearProgress();
process.exitCode = codeOf(code);
await Promise.all([flush(process.stdout), flush(process.stderr)]);
process.exit();
