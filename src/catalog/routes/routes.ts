import { badRequest, recordNotFound } from '../../errors.ts';
import type { Access, Answer, Call, Method, Route } from '../../http/route.ts';
import { CHANGE_SOURCES, type ChangeSource } from '../../model/change.ts';
import { ChangeEvent } from '../../model/event-values.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { parsePatch } from '../../model/patch.ts';
import { operationsOfFields } from '../../model/required-operations.ts';
import { isUuid } from '../../model/uuid.ts';
import { check } from '../../model/validate.ts';
import { matchesIfNoneMatch } from '../../model/version.ts';
import { removeRecord, restoreRecord } from '../below/remove.ts';
import { createSchema } from '../desire/candidate.ts';
import type { Engine, Writer } from '../engine.ts';
import {
  addressOf,
  changeAnswer,
  etagFor,
  idAddress,
  precondition,
  queryFlag,
  requiredBody,
  requiredJson,
  viewFor,
  writeAnswer,
  YAML_TYPES,
} from '../read/answer.ts';
import { permit } from '../read/facts.ts';
import { NO_FIELDS, parseFields, parseInclude, parseRelationIncludes } from '../read/fields.ts';
import { listVersions, parseVersionsRequest, readOneVersion } from '../read/history.ts';
import { parseHistory, readHistory } from '../read/history-page.ts';
import { answerList } from '../read/list-answer.ts';
import { render } from '../read/render.ts';
import { keyOf } from '../read/store.ts';
import { withhold } from '../read/withheld.ts';
import { beginBulk, beginRemoval, beginRestore } from '../write/async.ts';
import { putBulk } from '../write/bulk.ts';
import { createRecord } from '../write/create.ts';
import { deleteStale, StaleRequest } from '../write/stale.ts';
import { patchRecord, putRecord } from '../write/write.ts';
import { userIdIn } from './bodies.ts';
import * as parameter from './parameters.ts';
import * as schema from './schemas.ts';
import { castVote, follow, parseVote, unfollow } from './social.ts';
import { vouches } from './vouching.ts';

const writer = (kind: Kind, call: Call): Writer => ({ kind, principal: call.principal, spend: call.spend });

const readOne =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const fields = parseFields(kind, call.query.get('fields'));
    const include = parseInclude(call.query.get('include'));
    const relations = parseRelationIncludes(kind, call.query.get('includeRelations'), include);
    const address = addressOf(kind, call);
    const missing = () => recordNotFound(kind.entityType, keyOf(address));
    if ('id' in address && !isUuid(address.id)) throw missing();
    const record = await engine.store.record(kind, address, fields);
    const hidden = record?.deleted ? include === 'non-deleted' : include === 'deleted' && kind.softDeletable;
    if (!record || hidden) throw missing();
    call.spend(record.weight);
    await permit(engine, call.principal, operationsOfFields(kind, fields), record);
    const headers = { ETag: etagFor(record) };
    const isKnown = matchesIfNoneMatch(call.header('if-none-match'), record);
    if (isKnown && vouches(fields, record)) return { status: 304, headers };
    const shown = await withhold(engine, call.principal, record);
    return { status: 200, headers, json: render(shown, viewFor(engine, call, fields, relations)) };
  };

const create =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> =>
    writeAnswer(engine, call, await createRecord(engine, writer(kind, call), await requiredBody(engine, kind, call)));

const put =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const options = {
      overrideMetadata: queryFlag(call, 'overrideMetadata'),
      precondition: precondition(kind, call),
    };
    const body = await requiredBody(engine, kind, call);
    return writeAnswer(engine, call, await putRecord(engine, writer(kind, call), body, options));
  };

/** Where the caller says a change comes from; empty means that nothing is said. */
const changeSource = (call: Call): ChangeSource | undefined => {
  const text = call.query.get('changeSource');
  if (!text) return undefined;
  const source = CHANGE_SOURCES.find((known) => known === text);
  if (!source) throw badRequest(`[changeSource must be one of ${CHANGE_SOURCES.join(', ')}]`);
  return source;
};

const patch =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const address = addressOf(kind, call);
    if ('id' in address && !isUuid(address.id)) throw recordNotFound(kind.entityType, address.id);
    const written = await patchRecord(engine, writer(kind, call), {
      address,
      source: changeSource(call),
      patch: parsePatch(await requiredJson(call)),
      precondition: precondition(kind, call),
      viewFor: (fields) => viewFor(engine, call, fields),
    });
    return writeAnswer(engine, call, written);
  };

const removalOf = (kind: Kind, call: Call) => ({
  hardDelete: queryFlag(call, 'hardDelete'),
  recursive: queryFlag(call, 'recursive'),
  precondition: precondition(kind, call),
});

const remove =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const removal = removalOf(kind, call);
    return writeAnswer(engine, call, await removeRecord(engine, writer(kind, call), addressOf(kind, call), removal));
  };

const removeLater =
  (engine: Engine, kind: Kind) =>
  (call: Call): Promise<Answer> =>
    beginRemoval(engine, writer(kind, call), idAddress(call), removalOf(kind, call));

const restore =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const isLater = queryFlag(call, 'async');
    const { id } = check(schema.restore, await requiredJson(call)) as { readonly id: string };
    const expected = precondition(kind, call);
    if (isLater) return beginRestore(engine, writer(kind, call), id, expected);
    return writeAnswer(engine, call, await restoreRecord(engine, writer(kind, call), id, { precondition: expected }));
  };

const bulk =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const isLater = queryFlag(call, 'async');
    const overrideMetadata = queryFlag(call, 'overrideMetadata');
    const body = await requiredJson(call);
    const sender = { kind, principal: call.principal };
    if (isLater) return beginBulk(engine, sender, body, overrideMetadata);
    return { status: 200, json: await putBulk(engine, sender, body, overrideMetadata) };
  };

const removeStale =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await deleteStale(engine, writer(kind, call), await requiredJson(call)),
  });

const versions =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    stream: await listVersions(engine, writer(kind, call), idAddress(call).id, parseVersionsRequest(call.query)),
  });

const history =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await readHistory(engine, writer(kind, call), parseHistory(call.query)),
  });

const version =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    text: {
      mediaType: 'application/json',
      content: await readOneVersion(engine, writer(kind, call), idAddress(call).id, call.params['version'] ?? ''),
    },
  });

const followers =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const following = {
      recordId: idAddress(call).id,
      userId: await userIdIn(call),
      view: viewFor(engine, call, NO_FIELDS),
    };
    return changeAnswer(await follow(engine, writer(kind, call), following));
  };

const unfollowers =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const following = {
      recordId: idAddress(call).id,
      userId: idAddress(call, 'userId').id,
      view: viewFor(engine, call, NO_FIELDS),
    };
    return changeAnswer(await unfollow(engine, writer(kind, call), following));
  };

const vote =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const body = await requiredJson(call);
    // Older clients send the vote alone.
    const { updatedVoteType } = isObject(body)
      ? (check(schema.vote, body) as { readonly updatedVoteType: Json })
      : { updatedVoteType: body };
    const wished = parseVote(updatedVoteType);
    const event = await castVote(
      engine,
      writer(kind, call),
      idAddress(call).id,
      wished,
      viewFor(engine, call, NO_FIELDS),
    );
    return changeAnswer(event);
  };

const JSON_TYPES = ['application/json'] as const;
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/json'] as const;
const TEXT_TYPES = ['application/json', 'text/plain'] as const;

/** An operation, and what else counts. */
type Needed = readonly [operation: string, also: string];

const VIEWING: Needed = ['ViewBasic', 'Some fields need operations of their own, such as ViewUsage or ViewSampleData.'];
const PUTTING: Needed = ['EditAll', 'A record that is not there yet needs Create instead.'];
const PUTTING_MANY: Needed = [
  'EditAll',
  'Each row is judged by itself: one that is not there yet needs Create instead; BulkCreate and BulkUpdate serve too.',
];
const PATCHING: Needed = [
  'EditAll',
  'Members with an operation of their own, such as EditDescription, EditOwners or EditTags, need only that.',
];

type Declare = (
  method: Method,
  path: string,
  summary: string,
  operation: string | Needed,
  rest: Pick<Route, 'handle' | 'responses'> & Pick<Partial<Route>, 'query' | 'body' | 'isHeavy'>,
) => Route;

const accessOf = ({ entityType: resource }: Kind, needed: string | Needed): Access => {
  if (typeof needed === 'string') return { operation: needed, resource };
  const [operation, also] = needed;
  return { operation, resource, also };
};

const declarer =
  (kind: Kind): Declare =>
  (method, path, summary, operation, rest) => ({
    method,
    path: `/v1/${kind.path}${path}`,
    summary,
    tag: kind.title,
    access: accessOf(kind, operation),
    ...rest,
  });

const readRoutes = (engine: Engine, kind: Kind, declare: Declare): Route[] => {
  const one = {
    query: parameter.readOne,
    responses: { 200: schema.record(kind), 304: undefined },
    handle: readOne(engine, kind),
  };
  return [
    declare('GET', '', `List ${kind.title.toLowerCase()}`, VIEWING, {
      query: parameter.list(kind),
      responses: { 200: schema.recordList(kind) },
      handle: (call) => answerList(engine, kind, call),
    }),
    declare('GET', '/{id}', `Read one of the ${kind.title.toLowerCase()} by id`, VIEWING, one),
    declare('GET', '/name/{fqn}', `Read one of the ${kind.title.toLowerCase()} by name`, VIEWING, one),
    declare('GET', '/history', 'List the states of all records in a stretch of time', 'ViewBasic', {
      isHeavy: true,
      query: parameter.history,
      responses: { 200: schema.recordList(kind) },
      handle: history(engine, kind),
    }),
    declare('GET', '/{id}/versions', 'List all versions', 'ViewBasic', {
      query: parameter.versions,
      responses: { 200: schema.history },
      handle: versions(engine, kind),
    }),
    declare('GET', '/{id}/versions/{version}', 'Read one version', 'ViewBasic', {
      responses: { 200: schema.record(kind) },
      handle: version(engine, kind),
    }),
  ];
};

const writeRoutes = (engine: Engine, kind: Kind, declare: Declare): Route[] => {
  const mediaTypes = kind.alsoYaml ? [...JSON_TYPES, ...YAML_TYPES] : JSON_TYPES;
  const body = { schema: createSchema(kind), mediaTypes };
  const patching = {
    query: parameter.patch,
    body: { schema: schema.patch, mediaTypes: PATCH_TYPES },
    responses: { 200: schema.record(kind) },
    handle: patch(engine, kind),
  };
  const removing = { query: parameter.remove, responses: { 200: schema.record(kind) }, handle: remove(engine, kind) };
  return [
    declare('POST', '', 'Create a record', 'Create', {
      body,
      responses: { 201: schema.record(kind) },
      handle: create(engine, kind),
    }),
    declare('PUT', '', 'Create or update a record', PUTTING, {
      body,
      responses: { 200: schema.record(kind), 201: schema.record(kind) },
      handle: put(engine, kind),
    }),
    declare('PUT', '/bulk', 'Create or update many records', PUTTING_MANY, {
      query: parameter.bulk,
      isHeavy: true,
      body: { schema: schema.rows(kind), mediaTypes: JSON_TYPES },
      responses: { 200: schema.bulkResult, 202: schema.bulkResult },
      handle: bulk(engine, kind),
    }),
    declare('PATCH', '/{id}', 'Change a record by id', PATCHING, patching),
    declare('PATCH', '/name/{fqn}', 'Change a record by name', PATCHING, patching),
    declare('DELETE', '/{id}', 'Delete a record by id', 'Delete', removing),
    declare('DELETE', '/name/{fqn}', 'Delete a record by name', 'Delete', removing),
    declare('DELETE', '/deleteStale', 'Delete what was not seen any more', 'Delete', {
      isHeavy: true,
      body: { schema: StaleRequest, mediaTypes: JSON_TYPES },
      responses: { 200: schema.bulkResult },
      handle: removeStale(engine, kind),
    }),
    declare('DELETE', '/async/{id}', 'Delete a record by id, after the answer', 'Delete', {
      query: parameter.remove,
      responses: { 202: schema.removalStarted },
      handle: removeLater(engine, kind),
    }),
  ];
};

const restoreRoutes = (engine: Engine, kind: Kind, declare: Declare): Route[] =>
  kind.softDeletable
    ? [
        declare('PUT', '/restore', 'Restore a deleted record', 'EditAll', {
          query: parameter.restore,
          body: { schema: schema.restore, mediaTypes: JSON_TYPES },
          responses: { 200: schema.record(kind), 202: schema.jobStarted },
          handle: restore(engine, kind),
        }),
      ]
    : [];

const followRoutes = (engine: Engine, kind: Kind, declare: Declare): Route[] =>
  kind.followable
    ? [
        declare('PUT', '/{id}/followers', 'Add a follower', 'ViewBasic', {
          body: { schema: schema.userId, mediaTypes: TEXT_TYPES },
          responses: { 200: ChangeEvent },
          handle: followers(engine, kind),
        }),
        declare('DELETE', '/{id}/followers/{userId}', 'Remove a follower', 'ViewBasic', {
          responses: { 200: ChangeEvent },
          handle: unfollowers(engine, kind),
        }),
      ]
    : [];

const voteRoutes = (engine: Engine, kind: Kind, declare: Declare): Route[] =>
  kind.votable
    ? [
        declare('PUT', '/{id}/vote', 'Vote on a record', 'ViewBasic', {
          body: { schema: schema.vote, mediaTypes: JSON_TYPES },
          responses: { 200: ChangeEvent },
          handle: vote(engine, kind),
        }),
      ]
    : [];

/** The operations that every kind has, and those that its abilities bring (conventions 3). */
export const catalogRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.flatMap((kind) => {
    const declare = declarer(kind);
    return [
      ...readRoutes(engine, kind, declare),
      ...writeRoutes(engine, kind, declare),
      ...restoreRoutes(engine, kind, declare),
      ...followRoutes(engine, kind, declare),
      ...voteRoutes(engine, kind, declare),
    ];
  });
