import { badRequest, recordNotFound } from '../../errors.ts';
import type { Answer, Call, HttpMethod, Route, RouteAccess } from '../../http/route.ts';
import { CHANGE_SOURCES, type ChangeSource } from '../../model/change-description.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import { parsePatch } from '../../model/language/patch.ts';
import { ChangeEventSchema } from '../../model/schemas/events/change-event.ts';
import { isUuid } from '../../model/uuid.ts';
import { validate } from '../../model/validate.ts';
import { matchesIfNoneMatch } from '../../model/version.ts';
import { deleteRecord, restoreRecord } from '../cascade/delete-and-restore.ts';
import type { Engine, Writer } from '../engine.ts';
import {
  buildChangeAnswer,
  buildWriteAnswer,
  createPrecondition,
  createView,
  etagFor,
  idAddress,
  parseAddress,
  parseQueryFlag,
  readRequiredBody,
  readRequiredJson,
  YAML_TYPES,
} from '../read/answer.ts';
import { authorizeRecord } from '../read/facts.ts';
import { NO_FIELDS, parseFields, parseInclude, parseRelationIncludes } from '../read/fields.ts';
import { listVersions, parseVersionsRequest, readVersionState } from '../read/history.ts';
import { parseHistory, readHistory } from '../read/history-page.ts';
import { answerList } from '../read/list-answer.ts';
import { renderRecord } from '../read/render.ts';
import { redactRecord } from '../read/sensitive-values.ts';
import { addressKey } from '../read/store.ts';
import { createSchema } from '../resolve/candidate.ts';
import { putBulk } from '../write/bulk.ts';
import { createRecord } from '../write/create.ts';
import { DeleteStaleSchema, deleteStale } from '../write/delete-stale.ts';
import { startBulk, startDeletion, startRestore } from '../write/start-jobs.ts';
import { patchRecord, putRecord } from '../write/update.ts';
import { etagCovers } from './etag-coverage.ts';
import { castVote, followRecord, parseVote, unfollowRecord } from './follow-and-vote.ts';
import * as parameter from './parameters.ts';
import * as schema from './schemas.ts';
import { readUserId } from './user-id-body.ts';

const createWriter = (kind: Kind, call: Call): Writer => ({ kind, principal: call.principal, spend: call.countWork });

const handleRead =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const fields = parseFields(kind, call.query.get('fields'));
    const include = parseInclude(call.query.get('include'));
    const relations = parseRelationIncludes(kind, call.query.get('includeRelations'), include);
    const address = parseAddress(kind, call);
    const missing = () => recordNotFound(kind.entityType, addressKey(address));
    if ('id' in address && !isUuid(address.id)) throw missing();
    const record = await engine.store.record(kind, address, fields);
    const hidden = record?.deleted ? include === 'non-deleted' : include === 'deleted' && kind.softDeletable;
    if (!record || hidden) throw missing();
    call.countWork(record.weight);
    await authorizeRecord(engine, call.principal, operationsToReadFields(kind, fields), record);
    const headers = { ETag: etagFor(record) };
    const isKnown = matchesIfNoneMatch(call.header('if-none-match'), record);
    if (isKnown && etagCovers(fields, record)) return { status: 304, headers };
    const shown = await redactRecord(engine, call.principal, record);
    return { status: 200, headers, json: renderRecord(shown, createView(engine, call, fields, relations)) };
  };

const handleCreate =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> =>
    buildWriteAnswer(
      engine,
      call,
      await createRecord(engine, createWriter(kind, call), await readRequiredBody(engine, kind, call)),
    );

const handlePut =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const options = {
      overrideMetadata: parseQueryFlag(call, 'overrideMetadata'),
      precondition: createPrecondition(kind, call),
    };
    const body = await readRequiredBody(engine, kind, call);
    return buildWriteAnswer(engine, call, await putRecord(engine, createWriter(kind, call), body, options));
  };

/** Where the caller says a change comes from; empty means that nothing is said. */
const parseChangeSource = (call: Call): ChangeSource | undefined => {
  const text = call.query.get('changeSource');
  if (!text) return undefined;
  const source = CHANGE_SOURCES.find((known) => known === text);
  if (!source) throw badRequest(`[changeSource must be one of ${CHANGE_SOURCES.join(', ')}]`);
  return source;
};

const handlePatch =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const address = parseAddress(kind, call);
    if ('id' in address && !isUuid(address.id)) throw recordNotFound(kind.entityType, address.id);
    const written = await patchRecord(engine, createWriter(kind, call), {
      address,
      source: parseChangeSource(call),
      patch: parsePatch(await readRequiredJson(call)),
      precondition: createPrecondition(kind, call),
      viewFor: (fields) => createView(engine, call, fields),
    });
    return buildWriteAnswer(engine, call, written);
  };

const parseDeletion = (kind: Kind, call: Call) => ({
  hardDelete: parseQueryFlag(call, 'hardDelete'),
  recursive: parseQueryFlag(call, 'recursive'),
  precondition: createPrecondition(kind, call),
});

const handleDelete =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const removal = parseDeletion(kind, call);
    return buildWriteAnswer(
      engine,
      call,
      await deleteRecord(engine, createWriter(kind, call), parseAddress(kind, call), removal),
    );
  };

const handleAsyncDelete =
  (engine: Engine, kind: Kind) =>
  (call: Call): Promise<Answer> =>
    startDeletion(engine, createWriter(kind, call), idAddress(call), parseDeletion(kind, call));

const handleRestore =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const isLater = parseQueryFlag(call, 'async');
    const { id } = validate(schema.restoreSchema, await readRequiredJson(call)) as { readonly id: string };
    const expected = createPrecondition(kind, call);
    if (isLater) return startRestore(engine, createWriter(kind, call), id, expected);
    return buildWriteAnswer(
      engine,
      call,
      await restoreRecord(engine, createWriter(kind, call), id, { precondition: expected }),
    );
  };

const handleBulk =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const isLater = parseQueryFlag(call, 'async');
    const overrideMetadata = parseQueryFlag(call, 'overrideMetadata');
    const body = await readRequiredJson(call);
    const sender = { kind, principal: call.principal };
    if (isLater) return startBulk(engine, sender, body, overrideMetadata);
    return { status: 200, json: await putBulk(engine, sender, body, overrideMetadata) };
  };

const handleDeleteStale =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await deleteStale(engine, createWriter(kind, call), await readRequiredJson(call)),
  });

const handleListVersions =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    stream: await listVersions(engine, createWriter(kind, call), idAddress(call).id, parseVersionsRequest(call.query)),
  });

const handleHistory =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    json: await readHistory(engine, createWriter(kind, call), parseHistory(call.query)),
  });

const handleReadVersion =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => ({
    status: 200,
    text: {
      mediaType: 'application/json',
      content: await readVersionState(
        engine,
        createWriter(kind, call),
        idAddress(call).id,
        call.params['version'] ?? '',
      ),
    },
  });

const handleFollow =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const following = {
      recordId: idAddress(call).id,
      userId: await readUserId(call),
      view: createView(engine, call, NO_FIELDS),
    };
    return buildChangeAnswer(await followRecord(engine, createWriter(kind, call), following));
  };

const handleUnfollow =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const following = {
      recordId: idAddress(call).id,
      userId: idAddress(call, 'userId').id,
      view: createView(engine, call, NO_FIELDS),
    };
    return buildChangeAnswer(await unfollowRecord(engine, createWriter(kind, call), following));
  };

const handleVote =
  (engine: Engine, kind: Kind) =>
  async (call: Call): Promise<Answer> => {
    const body = await readRequiredJson(call);
    // Older clients send the vote alone.
    const { updatedVoteType } = isObject(body)
      ? (validate(schema.voteSchema, body) as { readonly updatedVoteType: Json })
      : { updatedVoteType: body };
    const wished = parseVote(updatedVoteType);
    const event = await castVote(
      engine,
      createWriter(kind, call),
      idAddress(call).id,
      wished,
      createView(engine, call, NO_FIELDS),
    );
    return buildChangeAnswer(event);
  };

const JSON_TYPES = ['application/json'] as const;
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/json'] as const;
const TEXT_TYPES = ['application/json', 'text/plain'] as const;

/** An operation, and what else counts. */
type OperationNote = readonly [operation: string, also: string];

const VIEWING: OperationNote = [
  'ViewBasic',
  'Some fields need operations of their own, such as ViewUsage or ViewSampleData.',
];
const PUTTING: OperationNote = ['EditAll', 'A record that is not there yet needs Create instead.'];
const PUTTING_MANY: OperationNote = [
  'EditAll',
  'Each row is judged by itself: one that is not there yet needs Create instead; BulkCreate and BulkUpdate serve too.',
];
const PATCHING: OperationNote = [
  'EditAll',
  'Members with an operation of their own, such as EditDescription, EditOwners or EditTags, need only that.',
];

type DeclareRoute = (
  method: HttpMethod,
  path: string,
  summary: string,
  operation: string | OperationNote,
  rest: Pick<Route, 'handle' | 'responses'> & Pick<Partial<Route>, 'query' | 'body' | 'isHeavy'>,
) => Route;

const accessOf = ({ entityType: resource }: Kind, needed: string | OperationNote): RouteAccess => {
  if (typeof needed === 'string') return { operation: needed, resource };
  const [operation, also] = needed;
  return { operation, resource, also };
};

const createDeclare =
  (kind: Kind): DeclareRoute =>
  (method, path, summary, operation, rest) => ({
    method,
    path: `/v1/${kind.path}${path}`,
    summary,
    tag: kind.title,
    access: accessOf(kind, operation),
    ...rest,
  });

const readRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] => {
  const one = {
    query: parameter.readParameters,
    responses: { 200: schema.recordSchema(kind), 304: undefined },
    handle: handleRead(engine, kind),
  };
  return [
    declare('GET', '', `List ${kind.title.toLowerCase()}`, VIEWING, {
      query: parameter.listParameters(kind),
      responses: { 200: schema.recordListSchema(kind) },
      handle: (call) => answerList(engine, kind, call),
    }),
    declare('GET', '/{id}', `Read one of the ${kind.title.toLowerCase()} by id`, VIEWING, one),
    declare('GET', '/name/{fqn}', `Read one of the ${kind.title.toLowerCase()} by name`, VIEWING, one),
    declare('GET', '/history', 'List the states of all records in a stretch of time', 'ViewBasic', {
      isHeavy: true,
      query: parameter.historyParameters,
      responses: { 200: schema.recordListSchema(kind) },
      handle: handleHistory(engine, kind),
    }),
    declare('GET', '/{id}/versions', 'List all versions', 'ViewBasic', {
      query: parameter.versionParameters,
      responses: { 200: schema.versionListSchema },
      handle: handleListVersions(engine, kind),
    }),
    declare('GET', '/{id}/versions/{version}', 'Read one version', 'ViewBasic', {
      responses: { 200: schema.recordSchema(kind) },
      handle: handleReadVersion(engine, kind),
    }),
  ];
};

const writeRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] => {
  const mediaTypes = kind.acceptsYaml ? [...JSON_TYPES, ...YAML_TYPES] : JSON_TYPES;
  const body = { schema: createSchema(kind), mediaTypes };
  const patching = {
    query: parameter.patchParameters,
    body: { schema: schema.patchSchema, mediaTypes: PATCH_TYPES },
    responses: { 200: schema.recordSchema(kind) },
    handle: handlePatch(engine, kind),
  };
  const removing = {
    query: parameter.deleteParameters,
    responses: { 200: schema.recordSchema(kind) },
    handle: handleDelete(engine, kind),
  };
  return [
    declare('POST', '', 'Create a record', 'Create', {
      body,
      responses: { 201: schema.recordSchema(kind) },
      handle: handleCreate(engine, kind),
    }),
    declare('PUT', '', 'Create or update a record', PUTTING, {
      body,
      responses: { 200: schema.recordSchema(kind), 201: schema.recordSchema(kind) },
      handle: handlePut(engine, kind),
    }),
    declare('PUT', '/bulk', 'Create or update many records', PUTTING_MANY, {
      query: parameter.bulkParameters,
      isHeavy: true,
      body: { schema: schema.bulkRowsSchema(kind), mediaTypes: JSON_TYPES },
      responses: { 200: schema.bulkResultSchema, 202: schema.bulkResultSchema },
      handle: handleBulk(engine, kind),
    }),
    declare('PATCH', '/{id}', 'Change a record by id', PATCHING, patching),
    declare('PATCH', '/name/{fqn}', 'Change a record by name', PATCHING, patching),
    declare('DELETE', '/{id}', 'Delete a record by id', 'Delete', removing),
    declare('DELETE', '/name/{fqn}', 'Delete a record by name', 'Delete', removing),
    declare('DELETE', '/deleteStale', 'Delete what was not seen any more', 'Delete', {
      isHeavy: true,
      body: { schema: DeleteStaleSchema, mediaTypes: JSON_TYPES },
      responses: { 200: schema.bulkResultSchema },
      handle: handleDeleteStale(engine, kind),
    }),
    declare('DELETE', '/async/{id}', 'Delete a record by id, after the answer', 'Delete', {
      query: parameter.deleteParameters,
      responses: { 202: schema.deletionStartedSchema },
      handle: handleAsyncDelete(engine, kind),
    }),
  ];
};

const restoreRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] =>
  kind.softDeletable
    ? [
        declare('PUT', '/restore', 'Restore a deleted record', 'EditAll', {
          query: parameter.restoreParameters,
          body: { schema: schema.restoreSchema, mediaTypes: JSON_TYPES },
          responses: { 200: schema.recordSchema(kind), 202: schema.jobStartedSchema },
          handle: handleRestore(engine, kind),
        }),
      ]
    : [];

const followRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] =>
  kind.followable
    ? [
        declare('PUT', '/{id}/followers', 'Add a follower', 'ViewBasic', {
          body: { schema: schema.userIdSchema, mediaTypes: TEXT_TYPES },
          responses: { 200: ChangeEventSchema },
          handle: handleFollow(engine, kind),
        }),
        declare('DELETE', '/{id}/followers/{userId}', 'Remove a follower', 'ViewBasic', {
          responses: { 200: ChangeEventSchema },
          handle: handleUnfollow(engine, kind),
        }),
      ]
    : [];

const voteRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] =>
  kind.votable
    ? [
        declare('PUT', '/{id}/vote', 'Vote on a record', 'ViewBasic', {
          body: { schema: schema.voteSchema, mediaTypes: JSON_TYPES },
          responses: { 200: ChangeEventSchema },
          handle: handleVote(engine, kind),
        }),
      ]
    : [];

/** The operations that every kind has, and those that its abilities bring (conventions 3). */
export const catalogRoutes = (engine: Engine): Route[] =>
  engine.registry.kinds.flatMap((kind) => {
    const declare = createDeclare(kind);
    return [
      ...readRoutes(engine, kind, declare),
      ...writeRoutes(engine, kind, declare),
      ...restoreRoutes(engine, kind, declare),
      ...followRoutes(engine, kind, declare),
      ...voteRoutes(engine, kind, declare),
    ];
  });
