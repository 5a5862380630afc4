import { badRequest, CatalogError } from '../../errors.ts';
import type { Answer, Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Kind, resolveFqnText } from '../../model/kind/kind.ts';
import { etagOfVersion, matchesIfMatch } from '../../model/version.ts';
import type { Engine, WriteResult } from '../engine.ts';
import { discloseSecrets } from './disclose-secrets.ts';
import { answerFields, NO_FIELDS } from './fields.ts';
import { type IncludeDeleted, renderRecord, type View } from './render.ts';
import type { Snapshot } from './snapshot.ts';
import type { Address } from './store.ts';

export const CHANGE_HEADER = 'X-OpenMetadata-Change';

/** How this caller sees records: with addresses of this request. `withhold` decides whether secrets are shown. */
export const createView = (
  engine: Pick<Engine, 'registry' | 'secrets'>,
  call: Pick<Call, 'hrefBase'>,
  fields: ReadonlySet<string>,
  include?: (field: string) => IncludeDeleted,
): View => {
  const view: View = {
    registry: engine.registry,
    hrefBase: call.hrefBase,
    fields,
    openSecret: (value) => engine.secrets.open(value),
  };
  return include ? { ...view, include } : view;
};

export const etagFor = (record: Snapshot): string => etagOfVersion(record.id, record.version, record.updatedAt);

/**
 * The answer of a write: the record with everything a request could set, and what was done to it. `more` names members
 * that only this operation shows.
 */
export const buildWriteAnswer = async (
  engine: Engine,
  call: Call,
  { outcome, record }: WriteResult,
  more: ReadonlySet<string> = NO_FIELDS,
): Promise<Answer> => {
  const fields = more.size > 0 ? new Set([...answerFields(record.kind), ...more]) : answerFields(record.kind);
  const json = renderRecord(await discloseSecrets(engine, call.principal, record), createView(engine, call, fields));
  const headers: Record<string, string> = { [CHANGE_HEADER]: outcome, ETag: etagFor(record) };
  if (outcome !== 'entityCreated') return { status: 200, headers, json };
  return { status: 201, headers: { ...headers, Location: json['href'] as string }, json };
};

export const buildChangeAnswer = (event: JsonObject): Answer => ({
  status: 200,
  headers: { [CHANGE_HEADER]: 'entityFieldsChanged' },
  json: event,
});

/** The record a path names by id. A text that is no UUID names nothing, which clients rely on being a 404. */
export const idAddress = (call: Call, parameter = 'id'): { id: string } => ({
  id: (call.params[parameter] ?? '').toLowerCase(),
});

/** The record a path names by its fully qualified name. */
export const nameAddress = (kind: Kind, text: string): { fqn: string } => ({ fqn: resolveFqnText(kind, text) });

export const parseAddress = (kind: Kind, call: Call): Address =>
  'fqn' in call.params ? nameAddress(kind, call.params['fqn'] ?? '') : idAddress(call);

/**
 * Refuses a record, or that there is none, when `If-Match` names another state. On some kinds a stale write has always
 * been told apart as a conflict rather than a failed precondition.
 */
export const createPrecondition =
  (kind: Kind, call: Call) =>
  (record: Snapshot | undefined): void => {
    const header = call.header('if-match');
    if (record ? matchesIfMatch(header, record) : header === undefined) return;
    throw new CatalogError(
      kind.staleIsConflict ? 'conflict' : 'precondition_failed',
      `${kind.entityType} instance ${record ? `${record.id} ` : ''}is not at the version the request expects`,
    );
  };

/** A boolean query parameter in any case; empty means absent. */
export const parseQueryFlag = (call: Pick<Call, 'query'>, name: string, fallback = false): boolean => {
  const text = call.query.get(name)?.toLowerCase();
  if (!text) return fallback;
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

/** The body of an operation that cannot do without one. */
export const readRequiredJson = async (call: Call): Promise<unknown> => {
  const body = await call.body.json();
  if (body === undefined || body === null) throw badRequest('[body must not be null]');
  return body;
};

/** The media types of YAML that clients send. */
export const YAML_TYPES = ['application/yaml', 'text/yaml', 'application/x-yaml', 'text/x-yaml'] as const;

const isYaml = (call: Call): boolean => {
  const type = call.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (YAML_TYPES as readonly string[]).includes(type);
};

/** The same of an operation whose body may be written in YAML where its kind says so. */
export const readRequiredBody = async (engine: Pick<Engine, 'readYaml'>, kind: Kind, call: Call): Promise<unknown> => {
  if (!kind.acceptsYaml || !isYaml(call)) return readRequiredJson(call);
  const body = await engine.readYaml(await call.body.text());
  if (body === null) throw badRequest('[body must not be null]');
  return body;
};
