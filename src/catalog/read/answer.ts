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

/** The view of a request: hrefs use the request's base address. */
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

export const etagFor = ({ id, version, updatedAt }: Pick<Snapshot, 'id' | 'version' | 'updatedAt'>): string =>
  etagOfVersion(id, version, updatedAt);

/**
 * Builds the answer of a write: the record with every member that a request can set, and the outcome. `more` names
 * members that only this operation shows.
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

/**
 * The address of the record whose id the path contains. A text that is no UUID matches no record, because clients rely
 * on a 404.
 */
export const idAddress = (call: Call, parameter = 'id'): { id: string } => ({
  id: (call.params[parameter] ?? '').toLowerCase(),
});

/** The address of the record whose fully qualified name the path contains. */
export const nameAddress = (kind: Kind, text: string): { fqn: string } => ({ fqn: resolveFqnText(kind, text) });

export const parseAddress = (kind: Kind, call: Call): Address =>
  'fqn' in call.params ? nameAddress(kind, call.params['fqn'] ?? '') : idAddress(call);

/**
 * Builds the check of `If-Match`: it throws when the header names another state, also when there is no record. Some
 * kinds have always answered a stale write as a conflict rather than a failed precondition.
 */
export const createPrecondition =
  (kind: Kind, call: Call) =>
  (record: Snapshot | undefined): void => {
    const header = call.header('if-match');
    if (record ? matchesIfMatch(header, record) : header === undefined) return;
    const text = `${kind.entityType} instance ${record ? `${record.id} ` : ''}is not at the version the request expects`;
    throw new CatalogError(
      kind.staleIsConflict ? 'conflict' : 'precondition_failed',
      text,
      record ? { etag: etagFor(record) } : {},
    );
  };

/** A boolean query parameter in any case; empty means absent. */
export const parseQueryFlag = (call: Pick<Call, 'query'>, name: string, fallback = false): boolean => {
  const text = call.query.get(name)?.toLowerCase();
  if (!text) return fallback;
  if (text !== 'true' && text !== 'false') throw badRequest(`[${name} must be true or false]`);
  return text === 'true';
};

/** Reads the body of an operation that requires one. */
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

/** Reads a required body, which may be YAML if the kind accepts it. */
export const readRequiredBody = async (engine: Pick<Engine, 'readYaml'>, kind: Kind, call: Call): Promise<unknown> => {
  if (!kind.acceptsYaml || !isYaml(call)) return readRequiredJson(call);
  const body = await engine.readYaml(await call.body.text());
  if (body === null) throw badRequest('[body must not be null]');
  return body;
};
