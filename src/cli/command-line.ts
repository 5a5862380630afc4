import { parseArgs } from 'node:util';
import { nearestOf } from '../model/nearest.ts';
import type { CommandDeclaration, CommandEnvironment, CommandInput, FlagDeclaration } from './command.ts';
import { flagTitle, formatUsages, usageLine } from './command-help.ts';
import type { Output } from './output.ts';
import { UsageError } from './usage-error.ts';

/** Finds the command of a line and parses the rest by the command's declaration. */

const suggest = (given: string, known: readonly string[]): string => {
  const nearest = nearestOf(given, known);
  return nearest === undefined ? '' : `. Did you mean ${nearest}?`;
};

/** The commands that begin with a word, which may be a command itself. */
export const commandsBelow = (commands: readonly CommandDeclaration[], word: string): readonly CommandDeclaration[] =>
  commands.filter(({ name }) => name.startsWith(`${word} `));

/** Finds the command whose words begin the line, and answers what follows them. */
export const findCommand = (
  commands: readonly CommandDeclaration[],
  line: readonly string[],
): { readonly command: CommandDeclaration; readonly args: readonly string[] } => {
  const found = commands.find(({ name }) => name.split(' ').every((word, at) => line[at] === word));
  if (found) return { command: found, args: line.slice(found.name.split(' ').length) };
  const [first = '', second] = line;
  const below = commandsBelow(commands, first);
  if (below.length > 0) {
    const names = below.map(({ name }) => name);
    const given = second === undefined ? '' : suggest(`${first} ${second}`, names);
    throw new UsageError(
      [
        `tributary ${first} needs one of ${names.map((name) => name.split(' ')[1]).join(', ')}${given}`,
        ...formatUsages(below),
        `«tributary ${first} COMMAND --help» shows the flags of a command.`,
      ].join('\n'),
    );
  }
  const names = commands.map(({ name }) => name);
  throw new UsageError(`There is no command ${first}${suggest(first, names)}\n«tributary --help» lists the commands.`);
};

const checkValue = (flag: FlagDeclaration, value: string): void => {
  if (flag.kind === 'number' && !/^\d{1,9}$/.test(value)) {
    throw new UsageError(`--${flag.name} is "${value}", expected a whole number`);
  }
  if (flag.choices && !flag.choices.includes(value)) {
    throw new UsageError(`--${flag.name} is "${value}", expected one of ${flag.choices.join(', ')}`);
  }
};

const checkOperands = (command: CommandDeclaration, positionals: readonly string[]): void => {
  const operands = command.operands ?? [];
  const least = operands.filter((operand) => !operand.startsWith('[')).length;
  const most = operands.some((operand) => operand.includes('...')) ? Number.POSITIVE_INFINITY : operands.length;
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(
      `tributary ${command.name} takes ${operands.join(' ') || 'no arguments'}: ${usageLine(command)}`,
    );
  }
};

const refuseUnknownFlags = (flags: readonly FlagDeclaration[], args: readonly string[]): void => {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true, options: optionsOf(flags) });
  const known = flags.map(({ name }) => `--${name}`);
  for (const token of tokens) {
    if (token.kind !== 'option' || known.includes(`--${token.name}`)) continue;
    throw new UsageError(`There is no flag ${token.rawName}${suggest(token.rawName, known)}`);
  }
};

const optionsOf = (flags: readonly FlagDeclaration[]) =>
  Object.fromEntries(
    flags.map(({ name, kind }) => [name, { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) }]),
  );

/** Parses the arguments of a command. Throws a UsageError that names what is wrong. */
export const parseCommandLine = (
  command: CommandDeclaration,
  args: readonly string[],
  env: CommandEnvironment,
  output: Output,
): CommandInput => {
  const flags = command.flags ?? [];
  refuseUnknownFlags(flags, args);
  const { values, positionals } = parseArgs({ args: [...args], options: optionsOf(flags), allowPositionals: true });
  checkOperands(command, positionals);
  const given = new Map<string, string>();
  for (const flag of flags) {
    const value = values[flag.name] ?? (flag.variable && env[flag.variable]?.trim()) ?? flag.fallback;
    if (typeof value !== 'string' || value === '') {
      if (flag.isRequired)
        throw new UsageError(`tributary ${command.name} needs ${flagTitle(flag)}: ${flag.description}`);
      continue;
    }
    checkValue(flag, value);
    given.set(flag.name, value);
  }
  return {
    positionals,
    text: (name) => given.get(name),
    has: (name) => values[name] === true,
    args,
    env,
    output,
  };
};
