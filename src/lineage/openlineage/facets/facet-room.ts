import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import { createView } from '../../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRecord } from '../../../catalog/read/render.ts';
import { requireKind } from '../../../catalog/registry.ts';
import { patchRecord } from '../../../catalog/write/update.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import { parsePatch } from '../../../model/language/patch.ts';
import type { Endpoint } from '../../endpoints.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { OpenLineageName } from '../event.ts';
import { applyOrReport, createFacetReport, type FacetReport, type FacetSubject } from './facet-report.ts';

/** What applying the facets of one event needs. */

/** A result of a test, as the catalog keeps it. */
export type FacetTestRun = JsonObject & { readonly timestamp: number; readonly testCaseStatus: 'Success' | 'Failed' };

/** A profile of a table at a time. The table's own part is left out where only what was written is known. */
export type FacetProfile = {
  readonly tableProfile?: JsonObject & { readonly timestamp: number };
  readonly columnProfile: readonly (JsonObject & { readonly timestamp: number; readonly name: string })[];
  readonly systemProfile: readonly (JsonObject & { readonly timestamp: number; readonly operation: string })[];
};

/** A dataset that a run read or wrote: the record that it is, and why that was taken for it, unless it was created. */
export type FacetRunDataset = OpenLineageName & {
  readonly by: string | undefined;
  readonly record: { readonly id: string; readonly type: string; readonly fullyQualifiedName: string };
  readonly role: 'inputs' | 'outputs';
  readonly rowCount: number | undefined;
  readonly size: number | undefined;
  readonly isReplaced: boolean;
  readonly version: string | undefined;
};

/** What one event says of a run, or of one task of it. */
export type FacetRunMessage = {
  readonly runId: string;
  readonly time: number;
  readonly ended: 'Successful' | 'Failed' | undefined;
  readonly task?: string;
  readonly datasets?: readonly FacetRunDataset[];
  readonly parameters?: JsonObject;
  readonly error?: JsonObject | undefined;
};

/** Writes what other rooms keep; each refuses what the caller may not do. */
export type FacetStores = {
  readonly storeProfile: (principal: Principal, tableId: string, profile: FacetProfile) => Promise<void>;
  readonly storeTestRun: (principal: Principal, testFqn: string, run: FacetTestRun) => Promise<void>;
  /** Adds what an event says to the run of its id. */
  readonly storeRun: (principal: Principal, pipelineId: string, message: FacetRunMessage) => Promise<void>;
};

export type FacetRoom = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly stores: FacetStores;
};

/** A record, the dataset or job of an event that it is, and where to tell what was not applied. */
export type FacetTarget = {
  readonly room: FacetRoom;
  readonly endpoint: Endpoint;
  readonly subject: FacetSubject;
  readonly report: FacetReport;
  /** Reads the record once with what facets may change of it; undefined when it is gone. */
  readonly document: () => Promise<JsonObject | undefined>;
};

/** What one facet changes of a record, as operations of a JSON Patch. */
export type FacetChange = { readonly facet: string; readonly operations: readonly Json[] };

const CALL = { hrefBase: '' };
const MEMBERS = ['owners', 'tags', 'columns', 'tasks'];

const readDocument = async (engine: Engine, { id, kind }: Endpoint): Promise<JsonObject | undefined> => {
  const fields = new Set(MEMBERS.filter((name) => kind.gatedNames.has(name)));
  const record = await engine.store.record(kind, { id }, fields);
  return record && !record.deleted ? renderRecord(record, createView(engine, CALL, fields)) : undefined;
};

export const createTarget = (told: Omit<FacetTarget, 'document'>): FacetTarget => {
  let reading: Promise<JsonObject | undefined> | undefined;
  return {
    ...told,
    document: () => {
      reading ??= readDocument(told.room.engine, told.endpoint);
      return reading;
    },
  };
};

/** Changes a record by a JSON Patch with the rights of the caller, or only tries to. */
const patchTarget = async (
  { room: { engine, principal }, endpoint: { id, kind } }: FacetTarget,
  changes: readonly FacetChange[],
  dryRun?: 'whole',
): Promise<void> => {
  await patchRecord(
    engine,
    { kind, principal },
    {
      address: { id },
      patch: parsePatch(changes.flatMap(({ operations }) => operations)),
      precondition: () => {},
      viewFor: (wanted) => createView(engine, CALL, wanted.size === 0 ? NO_FIELDS : wanted),
      source: 'Ingested',
      dryRun,
    },
  );
};

/**
 * Makes the changes of all facets one change of the record. Where the catalog refuses that, each facet is tried alone:
 * those that it refuses are told, and the others are one change.
 */
export const applyFacetChanges = async (target: FacetTarget, planned: readonly FacetChange[]): Promise<void> => {
  const { report, subject } = target;
  const changes = planned.filter(({ operations }) => operations.length > 0);
  const attempt = (to: FacetReport, some: readonly FacetChange[], dryRun?: 'whole') =>
    applyOrReport(to, subject, some[0]?.facet ?? '', () => patchTarget(target, some, dryRun));
  // Why they are refused together is told of those that are refused alone.
  if (changes.length === 0 || (await attempt(createFacetReport(), changes))) return;
  const permitted: FacetChange[] = [];
  for (const change of changes) if (await attempt(report, [change], 'whole')) permitted.push(change);
  if (permitted.length < changes.length) return applyFacetChanges(target, permitted);
  for (const change of permitted) await attempt(report, [change]);
};

/** Finds a record of a type by name that the caller may see. */
export const findVisible = async (
  { engine, principal }: FacetRoom,
  type: string,
  fqn: string,
): Promise<{ readonly id: string; readonly fullyQualifiedName: string } | undefined> => {
  const found = await engine.store.reference(requireKind(engine.registry, type), fqn);
  if (!found || found.deleted) return undefined;
  return (await readNodeVisibility(engine, principal, [found]))(found.id) ? found : undefined;
};
