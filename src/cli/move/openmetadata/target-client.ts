import { StartupError } from '../../../errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import { type CatalogAnswer, objectOf, readList, textOf } from '../../catalog-client.ts';
import { stripControls } from '../../output.ts';
import { createServiceRequest, ServiceRefusal } from '../../service-client.ts';
import type { Move } from '../move-command.ts';
import type { ApiSchema, ApiSchemas } from './fit-request.ts';

/** Writes to the service what was read elsewhere. */

export type Target = {
  readonly schemas: ApiSchemas;
  /** What a request to create a record of a collection may say. */
  createSchema(path: string): ApiSchema;
  send(method: string, path: string, body?: unknown): Promise<CatalogAnswer>;
  find(path: string): Promise<CatalogAnswer | undefined>;
  /** Sends rows, each of which is refused by itself. */
  sendRows(type: string, path: string, rows: readonly JsonObject[]): Promise<SentRows>;
};

export type SentRows = { readonly passed: number; readonly refused: readonly RefusedRow[] };

/** A row that the service did not take. */
export type RefusedRow = { readonly row: JsonObject; readonly name: string; readonly message: string };

const FORBIDDEN = 403;

const readSchemas = async ({ target, command }: Move) => {
  const headers = { authorization: `Bearer ${target.token}` };
  const response = await target.send(`${target.server}/openapi.json`, { method: 'GET', headers }).catch((cause) => {
    throw new StartupError(`${command}: no service answers at ${target.server}`, { cause });
  });
  if (!response.ok) {
    throw new StartupError(`${command}: ${target.server}/openapi.json answered ${response.status}`);
  }
  const { paths, components } = objectOf(await response.json());
  return { paths: objectOf(paths), schemas: objectOf(objectOf(components)['schemas']) as ApiSchemas };
};

const nameOfRow = (row: CatalogAnswer): string => {
  const { fullyQualifiedName, name, fromEntity, toEntity, testCaseFQN } = row;
  const ends = [fromEntity, toEntity].map((end) => textOf(objectOf(end)['fullyQualifiedName']));
  return textOf(fullyQualifiedName) || textOf(name) || textOf(testCaseFQN) || ends.join(' → ');
};

/** Whether the service refused the request as a whole, of which a part may pass. */
const isTooMuch = (failure: unknown): failure is ServiceRefusal =>
  failure instanceof ServiceRefusal && [400, 413].includes(failure.status);

export const openTarget = async (move: Move): Promise<Target> => {
  const { paths, schemas } = await readSchemas(move);
  const ask = createServiceRequest(move.target);
  const send: Target['send'] = async (method, path, body) => {
    const text = await (await ask(move.command, method, path, body)).text();
    return text === '' ? {} : objectOf(JSON.parse(text));
  };
  let hasPassed = false;
  const sendRows: Target['sendRows'] = async (type, path, rows) => {
    if (rows.length === 0 || move.isDryRun) return { passed: rows.length, refused: [] };
    const answer = await send('PUT', path, rows).catch((failure: unknown) => {
      if (isTooMuch(failure)) return failure;
      throw failure;
    });
    if (answer instanceof ServiceRefusal) {
      const [row] = rows;
      if (rows.length === 1 && row) {
        return { passed: 0, refused: [{ row, name: `${type} ${nameOfRow(row)}`, message: answer.message }] };
      }
      const half = Math.ceil(rows.length / 2);
      const [one, other] = [
        await sendRows(type, path, rows.slice(0, half)),
        await sendRows(type, path, rows.slice(half)),
      ];
      return { passed: one.passed + other.passed, refused: [...one.refused, ...other.refused] };
    }
    const failed = readList(answer['failedRequest']);
    hasPassed ||= failed.length < rows.length;
    if (!hasPassed && failed.every(({ status }) => status === FORBIDDEN)) {
      throw new StartupError(stripControls(`Nothing was written: ${textOf(failed[0]?.['message'])}`));
    }
    const refused = failed.map(({ request, message }) => ({
      row: request as JsonObject,
      name: `${type} ${nameOfRow(objectOf(request))}`,
      message: textOf(message),
    }));
    return { passed: rows.length - failed.length, refused };
  };
  return {
    schemas,
    send,
    sendRows,
    createSchema: (path) => {
      const operation = objectOf(objectOf(paths[`/v1/${path}`])['put']);
      const content = objectOf(objectOf(objectOf(operation['requestBody'])['content'])['application/json']);
      return (content['schema'] ?? {}) as ApiSchema;
    },
    find: async (path) => {
      try {
        return await send('GET', path);
      } catch (failure) {
        if (failure instanceof ServiceRefusal && failure.status === 404) return undefined;
        throw failure;
      }
    },
  };
};
