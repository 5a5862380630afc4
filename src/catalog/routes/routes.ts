import { HINT_HEADER } from '../../http/hint.ts';
import type { HttpMethod, Route, RouteAccess } from '../../http/route.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type KindWords, kindWords } from '../../model/kind/kind-words.ts';
import { type AccessNeed, EDIT_OPERATIONS } from '../../model/schemas/access/policy.ts';
import { ChangeEventSchema } from '../../model/schemas/events/change-event.ts';
import type { Engine } from '../engine.ts';
import { CHANGE_HEADER, YAML_TYPES } from '../read/answer.ts';
import { answerList } from '../read/list-answer.ts';
import { createSchema } from '../resolve/candidate.ts';
import { creationNeeds, puttingNeeds } from '../resolve/permit-creation.ts';
import { DeleteStaleSchema } from '../write/delete-stale.ts';
import {
  handleAsyncDelete,
  handleBulk,
  handleCreate,
  handleDelete,
  handleDeleteStale,
  handleFollow,
  handleHistory,
  handleListVersions,
  handlePatch,
  handlePut,
  handleRead,
  handleReadVersion,
  handleRestore,
  handleUnfollow,
  handleVote,
} from './handlers.ts';
import * as parameter from './parameters.ts';
import * as schema from './schemas.ts';

const JSON_TYPES = ['application/json'] as const;
const PATCH_TYPES = ['application/json-patch+json', 'application/merge-patch+json', 'application/json'] as const;
const TEXT_TYPES = ['application/json', 'text/plain'] as const;

const WRITE_HEADERS = ['ETag', CHANGE_HEADER];
const JOB_HEADERS = ['X-Job-Id'];

/** The operation that a route requires, a note about further ones, and the rights that are asked first. */
type OperationNote = readonly [operation: string, also: string, needsOf?: (kind: Kind) => readonly AccessNeed[]];

const patchingNeeds = ({ entityType: resource }: Kind): readonly AccessNeed[] =>
  EDIT_OPERATIONS.map((operation) => ({ operation, resource }));

const VIEWING: OperationNote = [
  'ViewBasic',
  'Some fields need a further operation, such as ViewUsage or ViewSampleData.',
];
const puttingOne = ({ one }: KindWords): OperationNote => [
  'EditAll',
  `If the ${one} does not exist yet, Create is needed instead.`,
  puttingNeeds,
];
const puttingMany = ({ many }: KindWords): OperationNote => [
  'EditAll',
  `Each row is authorized separately: ${many} that do not exist yet need Create instead; BulkCreate and BulkUpdate are accepted too.`,
  () => [],
];
const PATCHING: OperationNote = [
  'EditAll',
  'A change of members that have an operation of their own, such as EditDescription, EditOwners or EditTags, needs only that.',
  patchingNeeds,
];

type DeclareRoute = (
  method: HttpMethod,
  path: string,
  summary: string,
  operation: string | OperationNote,
  rest: Pick<Route, 'handle' | 'responses'> & Pick<Partial<Route>, 'query' | 'body' | 'isHeavy' | 'reads' | 'sends'>,
) => Route;

const accessOf = (kind: Kind, needed: string | OperationNote): RouteAccess => {
  const { entityType: resource } = kind;
  if (needed === 'Create') return { operation: needed, resource, anyOf: creationNeeds(kind) };
  if (typeof needed === 'string') return { operation: needed, resource };
  const [operation, also, needsOf] = needed;
  return { operation, resource, also, ...(needsOf ? { anyOf: needsOf(kind) } : {}) };
};

/** Whether records show secrets to callers who may see them without having to ask for the member. */
const showsSecrets = ({ members }: Kind): boolean =>
  Object.values(members).some(({ store, gated }) => store === 'secret' && !gated);

const createDeclare = (kind: Kind): DeclareRoute => {
  const credentials = showsSecrets(kind) ? { showsCredentials: true } : {};
  return (method, path, summary, operation, rest) => ({
    method,
    path: `/v1/${kind.path}${path}`,
    summary,
    tag: kind.title,
    access: accessOf(kind, operation),
    ...credentials,
    ...rest,
  });
};

const readRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] => {
  const { a, many } = kindWords(kind);
  const one = {
    query: parameter.readParameters,
    responses: { 200: schema.recordSchema(kind), 304: undefined },
    reads: ['If-None-Match'],
    sends: ['ETag'],
    handle: handleRead(engine, kind),
  };
  return [
    declare('GET', '', `List ${many}`, VIEWING, {
      query: parameter.listParameters(kind),
      responses: { 200: schema.recordListSchema(kind) },
      handle: (call) => answerList(engine, kind, call),
    }),
    declare('GET', '/{id}', `Get ${a} by ID`, VIEWING, one),
    declare('GET', '/name/{fqn}', `Get ${a} by name`, VIEWING, one),
    declare('GET', '/history', `List versions of all ${many} in a time range`, 'ViewBasic', {
      isHeavy: true,
      query: parameter.historyParameters,
      responses: { 200: schema.recordListSchema(kind) },
      handle: handleHistory(engine, kind),
    }),
    declare('GET', '/{id}/versions', `List versions of ${a}`, 'ViewBasic', {
      query: parameter.versionParameters,
      responses: { 200: schema.versionListSchema },
      handle: handleListVersions(engine, kind),
    }),
    declare('GET', '/{id}/versions/{version}', `Get a version of ${a}`, 'ViewBasic', {
      responses: { 200: schema.recordSchema(kind) },
      handle: handleReadVersion(engine, kind),
    }),
  ];
};

const writeRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] => {
  const words = kindWords(kind);
  const { a, many } = words;
  const mediaTypes = kind.acceptsYaml ? [...JSON_TYPES, ...YAML_TYPES] : JSON_TYPES;
  const body = { schema: createSchema(kind), mediaTypes };
  const patching = {
    query: parameter.patchParameters,
    body: { schema: schema.patchSchema, mediaTypes: PATCH_TYPES },
    responses: { 200: schema.recordSchema(kind) },
    reads: ['If-Match'],
    sends: WRITE_HEADERS,
    handle: handlePatch(engine, kind),
  };
  const removing = {
    query: parameter.deleteParameters,
    responses: { 200: schema.recordSchema(kind) },
    reads: ['If-Match'],
    sends: WRITE_HEADERS,
    handle: handleDelete(engine, kind),
  };
  return [
    declare('POST', '', `Create ${a}`, 'Create', {
      body,
      responses: { 201: schema.recordSchema(kind) },
      sends: [...WRITE_HEADERS, 'Location'],
      handle: handleCreate(engine, kind),
    }),
    declare('PUT', '', `Create or update ${a}`, puttingOne(words), {
      query: parameter.putParameters,
      body,
      responses: { 200: schema.recordSchema(kind), 201: schema.recordSchema(kind) },
      reads: ['If-Match'],
      sends: [...WRITE_HEADERS, 'Location'],
      handle: handlePut(engine, kind),
    }),
    declare('PUT', '/bulk', `Create or update ${many} in bulk`, puttingMany(words), {
      query: parameter.bulkParameters,
      isHeavy: true,
      body: { schema: schema.bulkRowsSchema(kind), mediaTypes: JSON_TYPES },
      responses: { 200: schema.bulkResultSchema, 202: schema.bulkResultSchema },
      sends: [...JOB_HEADERS, HINT_HEADER],
      handle: handleBulk(engine, kind),
    }),
    declare('PATCH', '/{id}', `Update ${a} by ID`, PATCHING, patching),
    declare('PATCH', '/name/{fqn}', `Update ${a} by name`, PATCHING, patching),
    declare('DELETE', '/{id}', `Delete ${a} by ID`, 'Delete', removing),
    declare('DELETE', '/name/{fqn}', `Delete ${a} by name`, 'Delete', removing),
    declare('DELETE', '/deleteStale', `Delete stale ${many}`, 'Delete', {
      isHeavy: true,
      body: { schema: DeleteStaleSchema, mediaTypes: JSON_TYPES },
      responses: { 200: schema.bulkResultSchema },
      handle: handleDeleteStale(engine, kind),
    }),
    declare('DELETE', '/async/{id}', `Delete ${a} by ID asynchronously`, 'Delete', {
      query: parameter.deleteParameters,
      responses: { 202: schema.deletionStartedSchema },
      reads: ['If-Match'],
      sends: JOB_HEADERS,
      handle: handleAsyncDelete(engine, kind),
    }),
  ];
};

const restoreRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] =>
  kind.softDeletable
    ? [
        declare('PUT', '/restore', `Restore a deleted ${kindWords(kind).one}`, 'EditAll', {
          query: parameter.restoreParameters,
          body: { schema: schema.restoreSchema, mediaTypes: JSON_TYPES },
          responses: { 200: schema.recordSchema(kind), 202: schema.jobStartedSchema },
          reads: ['If-Match'],
          sends: [...WRITE_HEADERS, ...JOB_HEADERS],
          handle: handleRestore(engine, kind),
        }),
      ]
    : [];

const followRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] =>
  kind.followable
    ? [
        declare('PUT', '/{id}/followers', `Add a follower to ${kindWords(kind).a}`, 'ViewBasic', {
          body: { schema: schema.userIdSchema, mediaTypes: TEXT_TYPES },
          responses: { 200: ChangeEventSchema },
          sends: [CHANGE_HEADER],
          handle: handleFollow(engine, kind),
        }),
        declare('DELETE', '/{id}/followers/{userId}', `Remove a follower from ${kindWords(kind).a}`, 'ViewBasic', {
          responses: { 200: ChangeEventSchema },
          sends: [CHANGE_HEADER],
          handle: handleUnfollow(engine, kind),
        }),
      ]
    : [];

const voteRoutes = (engine: Engine, kind: Kind, declare: DeclareRoute): Route[] =>
  kind.votable
    ? [
        declare('PUT', '/{id}/vote', `Vote on ${kindWords(kind).a}`, 'ViewBasic', {
          body: { schema: schema.voteSchema, mediaTypes: JSON_TYPES },
          responses: { 200: ChangeEventSchema },
          sends: [CHANGE_HEADER],
          handle: handleVote(engine, kind),
        }),
      ]
    : [];

/** The routes that every kind has, and those that its capabilities add (conventions 3). */
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
