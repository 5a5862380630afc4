import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { waitUntil } from '../support/patience.ts';
import { startService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { type Run, runModule } from './python.ts';

/** Runs OpenMetadata's ingestion framework against a service of its own, with the token of its bot. */

// biome-ignore lint/suspicious/noExplicitAny: answers are read as a client reads them
export type Answer = any;

export type IngestionFramework = {
  /** A folder that lives as long as the service. */
  readonly home: string;
  /** Reads a path as the administrator; fails for any other status. */
  ask(path: string, status?: number): Promise<Answer>;
  /** Writes with the token of the bot. */
  send(method: 'POST' | 'PUT' | 'PATCH', path: string, body: object): Promise<Answer>;
  /** Runs a command of the framework; its configuration is kept in a file of the given name. */
  metadata(command: string, config: object, file?: string): Promise<Run>;
  /** The requests for routes that do not exist, as the log of the service has them. */
  unknownRoutes(): readonly string[];
  stop(): Promise<void>;
};

export const SINK = { sink: { type: 'metadata-rest', config: {} } };

/** The names of records, in order. */
export const namesOf = (records: readonly Answer[]): readonly string[] => records.map(({ name }) => name).sort();

/** What a write would have changed. */
export const versionsOf = (records: readonly Answer[]): readonly unknown[] =>
  records.map(({ name, version, updatedAt }) => [name, version, updatedAt]);

/** Fails when a command of the framework ended with another code than 0 or reported an error. */
export const expectSuccess = ({ code, output }: Run): void => {
  const reported = output.split('\n').filter((line) => /ERROR|Error\b|Failed/.test(line));
  assert.is(code, 0, reported.slice(0, 20).join('\n') || output.slice(-3000));
  assert.equal(reported, []);
};

/** Waits until search finds the table. The framework looks for tables there. */
export const waitUntilFound = ({ ask }: Pick<IngestionFramework, 'ask'>, table: string): Promise<unknown> =>
  waitUntil(
    async () => (await ask(`/v1/search/query?q=${table}&index=table_search_index`)).hits.total.value > 0,
    `${table} is found`,
  );

const asker =
  (running: ServiceProcess) =>
  async (path: string, status = 200, init: RequestInit = {}): Promise<Answer> => {
    const reply = await running.ask(path, init);
    const text = await reply.text();
    assert.is(reply.status, status, `${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };

const sender = (address: string, token: string): IngestionFramework['send'] => {
  return async (method, path, body) => {
    const kind = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
    const headers = { authorization: `Bearer ${token}`, 'content-type': kind };
    const reply = await fetch(`${address}${path}`, { method, headers, body: JSON.stringify(body) });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
};

/** Starts a service, and answers what runs the framework of the environment `python` against it. */
export const startIngestionFramework = async (python: string): Promise<IngestionFramework> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-framework-'));
  const running = await startService(home);
  const ask = asker(running);
  // An administrator copies the token of the bot from there.
  const { botUser } = await ask('/v1/bots/name/ingestion-bot');
  const token = (await ask(`/v1/users/auth-mechanism/${botUser.id}`)).config.JWTToken;
  const openMetadataServerConfig = {
    hostPort: `${running.address}/api`,
    authProvider: 'openmetadata',
    securityConfig: { jwtToken: token },
  };
  return {
    home,
    ask: (path, status) => ask(path, status),
    send: sender(running.address, token),
    metadata: async (command, config, file = command) => {
      const path = join(home, `${file}.yaml`);
      const workflowConfig = { loggerLevel: 'INFO', openMetadataServerConfig };
      // JSON is YAML.
      await writeFile(path, JSON.stringify({ ...config, workflowConfig }));
      return runModule(python, 'metadata', [command, '-c', path]);
    },
    unknownRoutes: () =>
      running
        .output()
        .split('\n')
        .filter((line) => line.includes('"route":"unknown"')),
    stop: async () => {
      await stopServiceProcess(running, 'SIGTERM');
      await rm(home, { recursive: true, force: true });
    },
  };
};
