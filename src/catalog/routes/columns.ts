import { recordNotFound } from '../../errors.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { kindWords } from '../../model/kind/kind-words.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import { isUuid } from '../../model/uuid.ts';
import type { Engine } from '../engine.ts';
import { createView, parseAddress } from '../read/answer.ts';
import { authorizeRecord } from '../read/facts.ts';
import { parseFields } from '../read/fields.ts';
import { offsetParameters, parseOffsetPage } from '../read/offset.ts';
import { renderSection } from '../read/render.ts';
import { redactRecord } from '../read/sensitive-values.ts';
import { addressKey } from '../read/store.ts';
import { RECORD_ADDRESSES } from './parameters.ts';
import * as schema from './schemas.ts';

/** The member whose columns can be listed alone; other trees are read with their record. */
const SECTION = 'columns';

const readColumns = async (engine: Engine, kind: Kind, call: Call): Promise<readonly JsonObject[]> => {
  const fields = parseFields(kind, call.query.get('fields'));
  const address = parseAddress(kind, call);
  const known = 'fqn' in address || isUuid(address.id);
  const record = known ? await engine.store.record(kind, address, fields) : undefined;
  if (!record || record.deleted) throw recordNotFound(kind.entityType, addressKey(address));
  await authorizeRecord(engine, call.principal, operationsToReadFields(kind, fields), record);
  return renderSection(await redactRecord(engine, call.principal, record), SECTION, createView(engine, call, fields));
};

const pageAnswer = (columns: readonly JsonObject[], call: Call): Answer => {
  const { limit, offset } = parseOffsetPage(call.query, columns.length, 1);
  const data = columns.slice(offset, offset + limit);
  return { status: 200, json: { data, paging: { offset, limit, total: columns.length } } };
};

const flattenTree = (columns: readonly JsonObject[]): JsonObject[] =>
  columns.flatMap((column) => [column, ...flattenTree((column['children'] ?? []) as readonly JsonObject[])]);

const matchesWord = (column: JsonObject, word: string): boolean =>
  ['name', 'displayName', 'description'].some((member) =>
    String(column[member] ?? '')
      .toLowerCase()
      .includes(word),
  );

const createListHandler = (engine: Engine, kind: Kind) => async (call: Call) =>
  pageAnswer(await readColumns(engine, kind, call), call);

const createSearchHandler = (engine: Engine, kind: Kind) => async (call: Call) => {
  const word = (call.query.get('q') ?? '').trim().toLowerCase();
  const columns = await readColumns(engine, kind, call);
  return pageAnswer(word === '' ? columns : flattenTree(columns).filter((column) => matchesWord(column, word)), call);
};

const FIELDS = {
  name: 'fields',
  description: 'Comma-separated names of the optional fields to return: tags, customMetrics, profile',
  schema: { type: 'string' },
} as const;
const WORD = {
  name: 'q',
  description: 'Text to find in a name, display name or description',
  schema: { type: 'string' },
} as const;

const columnRoutesFor = (engine: Engine, kind: Kind): Route[] => {
  const { a } = kindWords(kind);
  return RECORD_ADDRESSES.flatMap(({ place, how }): Route[] => {
    const common = {
      method: 'GET',
      tag: kind.title,
      access: { operation: 'ViewBasic', resource: kind.entityType },
      responses: { 200: schema.columnListSchema },
    } as const;
    const path = `/v1/${kind.path}/${place}/columns`;
    return [
      {
        ...common,
        path,
        summary: `List columns of ${a} by ${how}`,
        query: [FIELDS, ...offsetParameters],
        handle: createListHandler(engine, kind),
      },
      {
        ...common,
        path: `${path}/search`,
        summary: `Search columns of ${a} by ${how}`,
        query: [WORD, FIELDS, ...offsetParameters],
        handle: createSearchHandler(engine, kind),
      },
    ];
  });
};

/** Routes that list the columns of a record alone, for very wide records. */
export const columnRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.filter((kind) => kind.listsColumns === true).flatMap((kind) => columnRoutesFor(engine, kind));
