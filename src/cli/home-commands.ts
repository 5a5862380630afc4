import {
  type CommandDeclaration,
  type CommandEnvironment,
  type CommandInput,
  type FlagDeclaration,
  JSON_FLAG,
} from './command.ts';
import { rotateKeysCommand } from './rotate-keys.ts';
import { issueTokenCommand, revokeTokensCommand } from './tokens.ts';

/** The commands that work on the machine and the home of the service: its process, keys, tokens and store. */

const setting = (name: string, variable: string, value: string, description: string): FlagDeclaration => ({
  name,
  kind: 'text',
  value,
  variable,
  description,
});

/** The common settings. All others are set by their variables only. */
const SERVE_FLAGS: readonly FlagDeclaration[] = [
  setting('port', 'PORT', 'PORT', 'port to listen on'),
  setting('host', 'HOST', 'HOST', 'address to listen on'),
  setting('home', 'TRIBUTARY_HOME', 'DIR', 'folder of keys, admin token and embedded store'),
  setting('public-url', 'PUBLIC_URL', 'URL', 'address at which clients reach the service'),
  setting('workers', 'WORKERS', 'COUNT', 'number of processes that answer requests'),
  setting('neo4j-uri', 'NEO4J_URI', 'URI', 'Neo4j to use in place of the embedded one'),
  setting('neo4j-user', 'NEO4J_USER', 'NAME', 'user of that Neo4j'),
  setting('neo4j-database', 'NEO4J_DATABASE', 'NAME', 'database of that Neo4j'),
  setting('log-level', 'LOG_LEVEL', 'LEVEL', 'least level that is logged'),
];

/** The environment with each flag of the line in the place of its variable. */
const settingsOf = ({ text, env }: CommandInput): CommandEnvironment => ({
  ...env,
  ...Object.fromEntries(
    SERVE_FLAGS.flatMap(({ name, variable }) => {
      const value = text(name);
      return variable === undefined || value === undefined ? [] : [[variable, value]];
    }),
  ),
});

const runService = async (input: CommandInput): Promise<number> => {
  const { output } = input;
  // Commands load what only they need when they run: all others start in half the time without the service.
  const { startService } = await import('../main.ts');
  const running = await startService(settingsOf(input), output.line);
  return new Promise((resolve) => {
    let stopping = false;
    const stop = async () => {
      stopping = true;
      await running.close();
      resolve(0);
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
    void running.ended.then((code) => {
      if (stopping) return;
      output.note('The database ended and could not be started again; see its log below TRIBUTARY_HOME/logs.');
      resolve(code);
    });
  });
};

const USER_FLAG: FlagDeclaration = {
  name: 'user',
  kind: 'text',
  value: 'NAME',
  description: 'name of the user or bot',
  isRequired: true,
};

export const HOME_COMMANDS: readonly CommandDeclaration[] = [
  {
    name: 'serve',
    summary: 'Start the service',
    flags: SERVE_FLAGS,
    examples: ['tributary serve', 'tributary serve --port 9000 --home catalog'],
    run: runService,
  },
  {
    name: 'token issue',
    summary: 'Print a token for a user of the catalog, and nothing else',
    flags: [
      USER_FLAG,
      { name: 'ttl', kind: 'text', value: 'TIME', description: 'lifetime such as 30m, 1h or 7d; 1h for people' },
      { name: 'bot', kind: 'switch', description: 'issue the token of a bot, in place of the one it has' },
      JSON_FLAG,
    ],
    examples: ['tributary token issue --user hannah --ttl 1h', 'tributary token issue --user loader --bot --ttl 30d'],
    run: issueTokenCommand,
  },
  {
    name: 'token revoke',
    summary: 'End every token and session of a user',
    flags: [USER_FLAG, JSON_FLAG],
    examples: ['tributary token revoke --user hannah'],
    run: revokeTokensCommand,
  },
  {
    name: 'keys rotate',
    summary: 'Sign tokens and seal secrets by new keys',
    operands: ['[signing|sealing]'],
    flags: [{ name: 'now', kind: 'switch', description: 'refuse tokens of former keys at once' }, JSON_FLAG],
    examples: ['tributary keys rotate', 'tributary keys rotate signing --now'],
    run: rotateKeysCommand,
  },
  {
    name: 'backup',
    summary: 'Write one archive of the store, also while the service runs',
    operands: ['FILE'],
    flags: [
      { name: 'server', kind: 'text', value: 'URI', description: 'Neo4j to back up, as NEO4J_URI names it' },
      JSON_FLAG,
    ],
    examples: ['tributary backup nightly.backup'],
    run: async (input) => (await import('./backup.ts')).backupCommand(input),
  },
  {
    name: 'restore',
    summary: 'Fill the empty store that TRIBUTARY_HOME or NEO4J_URI names',
    operands: ['FILE'],
    flags: [JSON_FLAG],
    examples: ['tributary restore nightly.backup'],
    run: async (input) => (await import('./restore.ts')).restoreCommand(input),
  },
];
