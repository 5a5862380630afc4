import type { Output } from './output.ts';

/** What a shell command declares: help, parsing and the refusal of unknown flags read nothing else. */

export type FlagDeclaration = {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'switch';
  /** The word that stands for the value in the help. */
  readonly value?: string;
  readonly description: string;
  /** The environment variable that is read when the flag is absent. */
  readonly variable?: string;
  readonly fallback?: string;
  readonly choices?: readonly string[];
  /** A command without it is wrong usage. */
  readonly isRequired?: boolean;
};

export type CommandEnvironment = Readonly<Record<string, string | undefined>>;

/** What a command is given once its line was parsed. */
export type CommandInput = {
  readonly positionals: readonly string[];
  /** The value of a flag that takes one, from the line, its variable or its default. */
  text(name: string): string | undefined;
  /** Whether a switch was given. */
  has(name: string): boolean;
  /** The arguments after the command's name as they were written. */
  readonly args: readonly string[];
  readonly env: CommandEnvironment;
  readonly output: Output;
};

export type CommandDeclaration = {
  /** The words that call it, such as `contract check`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as the help shows them; brackets mark optional ones, dots the last one that repeats. */
  readonly operands?: readonly string[];
  readonly flags?: readonly FlagDeclaration[];
  readonly examples: readonly string[];
  /** The exit code of a failure, when 1 already means something else. */
  readonly failureCode?: number;
  /** Returns the exit code: 0 when all is well, 1 when the answer is no. */
  run(input: CommandInput): Promise<number>;
};

/** The flags of every command that calls a running service. */
export const SERVICE_FLAGS: readonly FlagDeclaration[] = [
  {
    name: 'server',
    kind: 'text',
    value: 'URL',
    variable: 'TRIBUTARY_SERVER',
    description: 'address of the service; the local one by default',
  },
  {
    name: 'token',
    kind: 'text',
    value: 'TOKEN',
    variable: 'TRIBUTARY_TOKEN',
    description: "token to call with; by default the local service's administrator token",
  },
];

export const JSON_FLAG: FlagDeclaration = { name: 'json', kind: 'switch', description: 'print JSON and nothing else' };
