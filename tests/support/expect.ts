import * as assert from 'uvu/assert';
import type { Kind } from '../../src/model/kind/kind.ts';
import type { Client, Reply, Service } from './service.ts';

/** Assertions about responses and records. */

/** Returns the body of a successful response, or fails and shows the actual response. */
// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
export const ok = (reply: Reply, status = 200): any => {
  if (reply.status !== status)
    assert.unreachable(`expected ${status}, got ${reply.status}: ${reply.text.slice(0, 500)}`);
  return reply.json;
};

const ERROR_TYPES: Readonly<Record<number, readonly string[]>> = {
  400: ['BAD_REQUEST'],
  401: ['UNAUTHORIZED'],
  403: ['FORBIDDEN'],
  404: ['NOT_FOUND'],
  405: ['METHOD_NOT_ALLOWED'],
  409: ['ENTITY_ALREADY_EXISTS', 'CONFLICT'],
  412: ['PRECONDITION_FAILED'],
  413: ['PAYLOAD_TOO_LARGE'],
  415: ['UNSUPPORTED_MEDIA_TYPE'],
  429: ['TOO_MANY_REQUESTS'],
};

/** The one error body of the contract: three members, the code equal to the status, no trace of the program. */
export const expectRefused = (reply: Reply, status: number, message?: string | RegExp, errorType?: string): void => {
  if (reply.status !== status) {
    assert.unreachable(`expected ${status}, got ${reply.status}: ${reply.text.slice(0, 500)}`);
  }
  const { json } = reply;
  assert.equal(Object.keys(json).sort(), ['code', 'errorType', 'message'], reply.text);
  assert.is(json.code, status);
  assert.ok(ERROR_TYPES[status]?.includes(json.errorType), `${json.errorType} for ${status}`);
  if (errorType !== undefined) assert.is(json.errorType, errorType);
  assert.type(json.message, 'string');
  assert.ok(json.message.length > 0);
  assert.not.match(reply.text, /node_modules|\.ts:\d|\n\s+at |Neo4jError|Neo\./);
  if (typeof message === 'string') assert.is(json.message, message);
  else if (message) assert.match(json.message, message);
};

const REF_MEMBERS = new Set([
  'id',
  'type',
  'name',
  'fullyQualifiedName',
  'description',
  'displayName',
  'deleted',
  'inherited',
  'href',
]);
const LABEL_MEMBERS = new Set([
  'tagFQN',
  'source',
  'labelType',
  'state',
  'name',
  'displayName',
  'description',
  'style',
  'href',
  'reason',
  'appliedAt',
  'appliedBy',
  'metadata',
]);
const COLUMN_MEMBERS = new Set([
  'name',
  'displayName',
  'dataType',
  'arrayDataType',
  'dataLength',
  'precision',
  'scale',
  'dataTypeDisplay',
  'description',
  'fullyQualifiedName',
  'tags',
  'constraint',
  'ordinalPosition',
  'jsonSchema',
  'children',
  'profile',
  'customMetrics',
  'extension',
]);

const only = (value: object, allowed: ReadonlySet<string>, what: string): void => {
  for (const name of Object.keys(value)) assert.ok(allowed.has(name), `${what} has the unknown member ${name}`);
};

type Members = { readonly [name: string]: unknown };

/** A reference as conventions 8 and the clarifications want every emitted one. */
export const expectRef = (ref: Members, hrefs = true): void => {
  only(ref, REF_MEMBERS, 'a reference');
  for (const name of ['id', 'type', 'name', 'fullyQualifiedName']) {
    assert.type(ref[name], 'string', `a reference has no ${name}: ${JSON.stringify(ref)}`);
  }
  assert.type(ref['deleted'], 'boolean', `a reference has no deleted: ${JSON.stringify(ref)}`);
  if (hrefs) assert.match(String(ref['href']), /^https?:\/\/.+\/v1\/.+\/[0-9a-f-]{36}$/);
};

const isLabel = (label: Members): void => {
  only(label, LABEL_MEMBERS, 'a tag label');
  for (const name of ['tagFQN', 'source', 'labelType', 'state']) assert.type(label[name], 'string', `no ${name}`);
};

const OPAQUE = new Set(['destinations', 'extension', 'connection', 'config', 'metadata', 'profile']);

/** Checks every reference, label and column wherever it stands in an answer. */
const walk = (value: unknown, hrefs: boolean): void => {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, hrefs);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as Members;
  if ('id' in object && 'type' in object) expectRef(object, hrefs);
  if ('tagFQN' in object) isLabel(object);
  if ('dataType' in object && 'name' in object) only(object, COLUMN_MEMBERS, 'a column');
  for (const [name, inner] of Object.entries(object)) {
    assert.is.not(inner, null, `${name} is null`);
    if (!OPAQUE.has(name)) walk(inner, hrefs);
  }
};

const ALWAYS = ['id', 'name', 'fullyQualifiedName', 'version', 'updatedAt', 'updatedBy'] as const;

/** A record holds the members of its kind and no others; its references, labels and columns hold theirs. */
export const expectRecord = (kind: Kind, record: Members, { hrefs = true } = {}): void => {
  only(record, kind.fieldNames, kind.entityType);
  for (const name of ALWAYS) assert.ok(record[name] !== undefined, `${kind.entityType} without ${name}`);
  if (hrefs) assert.ok(String(record['href']).endsWith(`/v1/${kind.path}/${record['id']}`), `href ${record['href']}`);
  if (kind.base.includes('deleted')) assert.type(record['deleted'], 'boolean');
  else assert.is('deleted' in record, false);
  if (kind.base.includes('entityStatus')) assert.type(record['entityStatus'], 'string');
  const { id: _id, ...rest } = record;
  walk(rest, hrefs);
};

/** The gated members of a kind are there only when they were asked for. */
export const expectNoGated = (kind: Kind, record: Members): void => {
  for (const name of kind.gatedNames) assert.is(name in record, false, `${name} was not asked for`);
};

const ENVELOPE = new Set(['data', 'paging']);
const PAGING = new Set(['before', 'after', 'offset', 'limit', 'total']);

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
export const expectList = (reply: Reply): any => {
  const json = ok(reply);
  only(json, ENVELOPE, 'a list');
  only(json.paging, PAGING, 'paging');
  assert.type(json.paging.total, 'number');
  return json;
};

export const CHANGE_HEADER_NAME = 'x-openmetadata-change';

type Stored = {
  readonly labels: readonly string[];
  readonly properties: Members;
  readonly versions: number;
  readonly events: number;
};

/** What the graph holds of a record, history and events included; undefined when it holds nothing. */
export const readStored = async (service: Service, id: string): Promise<Stored | undefined> => {
  const [row] = await service.graph.query(
    `MATCH (n:Entity {id: $id})
     RETURN labels(n) AS labels, properties(n) AS properties,
       COUNT { (n)-[:HAS_VERSION]->(:Version) } AS versions, COUNT { (n)<-[:ABOUT]-(:ChangeEvent) } AS events`,
    { id },
  );
  return row as Stored | undefined;
};

/** Runs a request that must leave the record as it is, to the last property, version and event. */
export const expectUnchanged = async <T>(service: Service, id: string, request: () => Promise<T>): Promise<T> => {
  const before = await readStored(service, id);
  const answer = await request();
  assert.equal(await readStored(service, id), before, 'the record changed although the request was refused');
  return answer;
};

/**
 * How many records, columns, versions, events and edges there are in all: nothing may be stored by a refused request. What
 * people are told of earlier requests, and how far subscriptions have come, comes in its own time and is left out.
 */
export const countStored = async (service: Service): Promise<Members> => {
  const [row] = await service.graph.query(
    `RETURN COUNT { (:Entity) } AS records, COUNT { (:Column) } AS columns, COUNT { (:Version) } AS versions,
       COUNT { (:ChangeEvent) } AS events, COUNT { ()-->() } - COUNT { ()-[:ADDRESSED_TO|HAS_DELIVERY]->() }
         - COUNT { (:Notification)-[:ABOUT]->() } AS edges`,
  );
  return row ?? {};
};

/** The query of a list that begins with the records of one name and ends after the first. */
export const listQueryFor = (name: string): string =>
  `limit=1&after=${Buffer.from(JSON.stringify({ name, id: '' })).toString('base64url')}`;

export const pathByName = (kind: Kind, fqn: string, query = ''): string =>
  `/v1/${kind.path}/name/${encodeURIComponent(fqn)}${query}`;

/** What bots may do follows from their roles: the one that brings in metadata. */
const botRoles = async (service: Service): Promise<{ readonly roles: readonly string[] }> => ({
  roles: [ok(await service.admin.get('/v1/roles/name/IngestionBotRole')).id],
});

/** A user of that name, as a client that calls as them; a bot with the role that brings in metadata. */
export const createPerson = async (
  service: Service,
  name: string,
  options: {
    readonly isBot?: boolean;
    readonly isAdmin?: boolean;
    readonly roles?: readonly string[];
    readonly teams?: readonly string[];
  } = {},
): Promise<Client & { readonly id: string; readonly name: string }> => {
  const { isBot = false, isAdmin = false, roles, teams } = options;
  const body = {
    name,
    email: `${name}@example.com`,
    ...(isBot ? { isBot, ...(await botRoles(service)) } : {}),
    ...(isAdmin ? { isAdmin } : {}),
    ...(roles ? { roles } : {}),
    ...(teams ? { teams } : {}),
  };
  const { id } = ok(await service.admin.post('/v1/users', body), 201);
  return { ...(await service.as(name, { isBot })), id, name };
};
