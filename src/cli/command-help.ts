import type { CommandDeclaration, FlagDeclaration } from './command.ts';
import type { Output } from './output.ts';

/** Writes the help of the shell from the declarations of its commands. */

const HELP_FLAGS: readonly FlagDeclaration[] = [
  { name: 'help', kind: 'switch', description: 'print this help' },
  { name: 'version', kind: 'switch', description: 'print the version' },
];

export const flagTitle = ({ name, kind, value = 'VALUE' }: FlagDeclaration): string =>
  kind === 'switch' ? `--${name}` : `--${name} ${value}`;

const flagText = ({ description, choices, variable, fallback }: FlagDeclaration): string => {
  const more = [
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(variable ? [`or ${variable}`] : []),
    ...(fallback === undefined ? [] : [`default ${fallback}`]),
  ];
  return more.length > 0 ? `${description} (${more.join('; ')})` : description;
};

/** The pairs of a title and its text, the texts below each other. */
const formatPairs = (pairs: readonly (readonly [string, string])[]): readonly string[] => {
  const width = Math.max(...pairs.map(([title]) => title.length));
  return pairs.map(([title, text]) => `  ${title.padEnd(width)}  ${text}`);
};

/** The line that shows how a command is called. */
export const usageLine = ({ name, operands = [], flags = [] }: CommandDeclaration): string =>
  ['tributary', name, ...operands, ...flags.filter(({ isRequired }) => isRequired).map(flagTitle), '[flags]'].join(' ');

/** How commands are called and what they do, the texts below each other. */
export const formatUsages = (commands: readonly CommandDeclaration[]): readonly string[] =>
  formatPairs(commands.map((one) => [usageLine(one), one.summary] as const));

/** Prints the help of a command, and names the commands that begin with its word. */
export const printCommandHelp = (
  command: CommandDeclaration,
  below: readonly CommandDeclaration[],
  output: Output,
): void => {
  const flags = [...(command.flags ?? []), ...HELP_FLAGS];
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Usage', [`  ${usageLine(command)}`]],
    ['Flags', formatPairs(flags.map((flag) => [flagTitle(flag), flagText(flag)] as const))],
    ['Examples', command.examples.map((example) => `  ${example}`)],
    ...(below.length > 0 ? [['Commands', formatUsages(below)] as const] : []),
  ];
  output.line(command.summary);
  for (const [title, lines] of sections) {
    output.line('');
    output.line(output.paint('bold', title));
    for (const line of lines) output.line(line);
  }
};

/** Prints the commands that begin with one word. */
export const printGroupHelp = (commands: readonly CommandDeclaration[], output: Output): void => {
  output.line(output.paint('bold', 'Commands'));
  for (const line of formatUsages(commands)) output.line(line);
  output.line('');
  output.line('«tributary COMMAND --help» shows the flags of a command.');
};

export const printOverview = (commands: readonly CommandDeclaration[], output: Output): void => {
  output.line('tributary: a metadata catalog in which lineage comes first');
  output.line('');
  output.line(output.paint('bold', 'Commands'));
  const title = ({ name, operands = [] }: CommandDeclaration) => [name, ...operands].join(' ');
  for (const line of formatPairs(commands.map((one) => [title(one), one.summary] as const))) output.line(line);
  output.line('');
  output.line('«tributary COMMAND --help» shows the flags of a command.');
  output.line(
    'Exit codes: 0 when all is well, 1 when the answer is no or the work failed, 2 for wrong usage, 130 when it was interrupted.',
  );
};
