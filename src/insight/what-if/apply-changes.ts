import { authorizeRecord, VIEW_OPERATIONS } from '../../catalog/read/facts.ts';
import { resolvePointer } from '../../catalog/resolve/references.ts';
import { TARGET_FIELDS } from '../../contracts/exchange/import-target.ts';
import { findSubject } from '../../contracts/subject.ts';
import { badRequest, CatalogError, recordNotFound } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { readDocumentColumns } from '../../impact/proposal.ts';
import {
  type Endpoint,
  readEndpointPointer,
  readPipelinePointer,
  resolveEndpoint,
  toEndpoint,
} from '../../lineage/endpoints.ts';
import { type EdgeDetailsInput, refuseSelfLoop } from '../../lineage/write/put-edge.ts';
import { chunk } from '../../model/chunk.ts';
import { groupBy } from '../../model/group-by.ts';
import type { JsonObject } from '../../model/json.ts';
import { PIPELINE_KINDS } from '../../model/schemas/lineage/lineage.ts';
import { presentColumns, replaceColumns, requireColumnTree } from './change-columns.ts';
import { applyDbt } from './change-dbt.ts';
import { endEdge, endEdgesOf, openOverlayEdges, stateEdge } from './change-edges.ts';
import type { ChangeTools } from './change-tools.ts';
import { dropUnchangedEdges, type Overlay, pairKeyOf } from './overlay.ts';
import { proposeContract } from './propose-contract.ts';

/** Applies the changes of a request to an overlay, in their order. A change that cannot be made is named by its place. */

export type Change = {
  readonly op: 'putEdge' | 'removeEdge' | 'putColumns' | 'removeAsset' | 'putContract' | 'odcs' | 'dbt';
  readonly from?: JsonObject;
  readonly to?: JsonObject;
  readonly lineageDetails?: EdgeDetailsInput;
  readonly entity?: JsonObject;
  readonly columns?: readonly JsonObject[];
  readonly contract?: JsonObject;
  readonly odcs?: string;
  readonly manifest?: JsonObject;
  readonly catalog?: JsonObject;
  readonly service?: string;
};

type ChangeMember = Exclude<keyof Change, 'op'>;

/** The members of each change: those that it must have, and those that it may have. */
const MEMBERS: Readonly<
  Record<Change['op'], { readonly must: readonly ChangeMember[]; readonly may?: readonly ChangeMember[] }>
> = {
  putEdge: { must: ['from', 'to'], may: ['lineageDetails'] },
  removeEdge: { must: ['from', 'to'] },
  putColumns: { must: ['entity', 'columns'] },
  removeAsset: { must: ['entity'] },
  putContract: { must: ['entity', 'contract'] },
  odcs: { must: ['entity', 'odcs'] },
  dbt: { must: ['manifest'], may: ['catalog', 'service'] },
};

/** Throws bad_request for a change with other members than its operation has. */
export const refuseWrongMembers = (changes: readonly Change[]): void => {
  for (const [at, change] of changes.entries()) {
    const { must, may = [] } = MEMBERS[change.op];
    const missing = must.find((name) => change[name] === undefined);
    if (missing !== undefined) throw badRequest(`[changes[${at}].${missing} must be given for ${change.op}]`);
    const known: readonly string[] = ['op', ...must, ...may];
    const other = Object.keys(change).find((name) => !known.includes(name));
    if (other !== undefined) throw badRequest(`[changes[${at}].${other} does not belong to ${change.op}]`);
  }
};

/** Names the place of a change in the message of a refusal. */
const namePlace = (place: string, failure: unknown): unknown => {
  if (!(failure instanceof CatalogError) || failure.code === 'unavailable') return failure;
  const text = failure.message.replace(/^\[(.*)\]$/s, '$1');
  return new CatalogError(failure.code, `${place}: ${text}`, { cause: failure, hint: failure.hint });
};

const atPlace = async <T>(place: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (failure) {
    throw namePlace(place, failure);
  }
};

export const openChangeTools = (overlay: Overlay, parts: Pick<ChangeTools, 'documents' | 'reader'>): ChangeTools => {
  const edges = openOverlayEdges(overlay);
  return { overlay, engine: edges.engine, edges, ...parts };
};

const HIDING: readonly string[] = ['not_found', 'forbidden'];

/** Reports whatever hides something in the same way. */
const asMissing = async <T>(missing: CatalogError, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (failure) {
    throw failure instanceof CatalogError && HIDING.includes(failure.code) ? missing : failure;
  }
};

const requireVisible = async ({ engine, overlay }: ChangeTools, found: Endpoint, missing: CatalogError) => {
  await asMissing(missing, () => authorizeRecord(engine, overlay.principal, VIEW_OPERATIONS, found));
  return found;
};

/** Finds the asset that a change names. One that the caller may not see is reported like one that is not there. */
const findAsset = async (tools: ChangeTools, ref: JsonObject, place: string): Promise<Endpoint> =>
  atPlace(place, async () => {
    const { engine } = tools;
    const pointer = readEndpointPointer(engine, ref);
    const missing = recordNotFound(pointer.type ?? 'entity', pointer.id ?? pointer.fqn ?? '');
    const found = await asMissing(missing, () => resolveEndpoint(engine, pointer));
    return requireVisible(tools, found, missing);
  });

/** Finds the pipeline that an edge would run through. */
const findPipelineId = async (tools: ChangeTools, ref: JsonObject | undefined, place: string) => {
  if (ref === undefined) return undefined;
  const { engine } = tools;
  return atPlace(`${place}.lineageDetails.pipeline`, async () => {
    const pointer = readPipelinePointer(engine, ref);
    const missing = recordNotFound(pointer.type ?? 'pipeline', pointer.id ?? pointer.fqn ?? '');
    const found = await asMissing(missing, () => resolvePointer(engine, pointer, PIPELINE_KINDS));
    return (await requireVisible(tools, toEndpoint(engine, found), missing)).id;
  });
};

/** A change that can be made together with others that have other keys. */
type Prepared = { readonly key: string; readonly apply: () => Promise<void> };

const prepareEdge = async (tools: ChangeTools, change: Change, at: number): Promise<Prepared> => {
  const { overlay, edges } = tools;
  const place = `changes[${at}]`;
  const [from, to, pipelineId] = await Promise.all([
    findAsset(tools, change.from ?? {}, `${place}.from`),
    findAsset(tools, change.to ?? {}, `${place}.to`),
    findPipelineId(tools, change.lineageDetails?.pipeline, place),
  ]);
  await atPlace(`${place}.from`, () => refuseSelfLoop(from, to));
  const stated = { from, to, pipelineId, description: undefined, details: change.lineageDetails ?? {} };
  const apply = () => (change.op === 'removeEdge' ? endEdge(overlay, from, to) : stateEdge(overlay, edges, stated));
  return { key: pairKeyOf(from.id, to.id), apply: () => atPlace(place, apply) };
};

const prepareColumns = async (tools: ChangeTools, change: Change, at: number): Promise<Prepared> => {
  const { overlay, engine, documents } = tools;
  const place = `changes[${at}]`;
  const asset = await findAsset(tools, change.entity ?? {}, `${place}.entity`);
  await atPlace(`${place}.entity`, () => requireColumnTree(asset));
  const apply = async () => {
    const subject = await findSubject(engine, { id: asset.id }, TARGET_FIELDS);
    const before = presentColumns(overlay, subject);
    const { columns, odcs = '' } = change;
    const after = columns ?? readDocumentColumns(subject, before, await documents.odcs(odcs), 'odcs').columns;
    await replaceColumns(overlay, asset, before, after);
  };
  return { key: asset.id, apply: () => atPlace(place, apply) };
};

/** So many changes are made at once; those that arrive together share statements. */
const AT_ONCE = 256;

/** Does all of something, and fails with the first in its order that failed. */
const allInOrder = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const outcomes = await mapConcurrently(items, AT_ONCE, async (item) => {
    try {
      return { done: await work(item) };
    } catch (failure) {
      return { failure };
    }
  });
  return outcomes.map((outcome) => {
    if ('failure' in outcome) throw outcome.failure;
    return outcome.done;
  });
};

type Run = readonly (readonly [at: number, change: Change])[];

/** Makes changes of one sort: those with the same key one after another, the others together. */
const applyRun = async (
  tools: ChangeTools,
  run: Run,
  prepare: (tools: ChangeTools, change: Change, at: number) => Promise<Prepared>,
): Promise<void> => {
  for (const some of chunk(run, AT_ONCE)) {
    const prepared = await allInOrder(some, ([at, change]) => prepare(tools, change, at));
    await allInOrder([...groupBy(prepared, ({ key }) => key).values()], async (same) => {
      for (const { apply } of same) await apply();
    });
  }
};

const removeAsset = async ({ overlay }: ChangeTools, asset: Endpoint): Promise<void> => {
  if (overlay.keepsRemoved) return;
  await endEdgesOf(overlay, asset);
  overlay.removed.add(asset.id);
  overlay.contracts.delete(asset.id);
};

const applyOne = async (tools: ChangeTools, change: Change, at: number): Promise<void> => {
  const place = `changes[${at}]`;
  if (change.op === 'dbt') return atPlace(place, () => applyDbt(tools, change));
  const asset = await findAsset(tools, change.entity ?? {}, `${place}.entity`);
  if (change.op === 'removeAsset') return atPlace(place, () => removeAsset(tools, asset));
  return atPlace(`${place}.contract`, () => proposeContract(tools, asset, change.contract ?? {}));
};

const PREPARE: Readonly<Partial<Record<Change['op'], typeof prepareEdge>>> = {
  putEdge: prepareEdge,
  removeEdge: prepareEdge,
  putColumns: prepareColumns,
  odcs: prepareColumns,
};

/** Applies all changes to the overlay. */
export const applyChanges = async (tools: ChangeTools, changes: readonly Change[]): Promise<void> => {
  let run: (readonly [number, Change])[] = [];
  for (const [at, change] of changes.entries()) {
    const prepare = PREPARE[change.op];
    if (!prepare) {
      await applyOne(tools, change, at);
      continue;
    }
    run.push([at, change]);
    const next = changes[at + 1];
    if (next && PREPARE[next.op] === prepare) continue;
    await applyRun(tools, run, prepare);
    run = [];
  }
  dropUnchangedEdges(tools.overlay);
};
