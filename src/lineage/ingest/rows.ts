import { notAllowed } from '../../access/authorize.ts';
import type { Principal } from '../../access/principal.ts';
import { readReferencesById, type TargetNode } from '../../catalog/queries.ts';
import { permitted } from '../../catalog/read/facts.ts';
import type { Failed, Passed } from '../../catalog/write/bulk.ts';
import { CatalogError } from '../../errors.ts';
import { sideBySide } from '../../graph/side-by-side.ts';
import { isObject, type Json, member } from '../../model/json.ts';
import { AddLineage } from '../../model/lineage-values.ts';
import { piecesOf } from '../../model/pieces.ts';
import { check, dropNulls } from '../../model/validate.ts';
import type { Edges } from '../edges.ts';
import { EDIT, type Site } from '../ends.ts';
import { type AskedEdge, type Found, findEdge, type Put, type PutOptions } from '../put.ts';
import type { Unresolved } from '../sql/column.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { needsParsing, type Parsed } from './parsed.ts';
import { sayAll } from './together.ts';

/** So many records are read by one statement, and so many rows are made ready side by side. */
const AT_ONCE = 1000;

/** An edge as a row has it: bare, or as a request about it alone has it. */
export const readRow = (row: Json): AskedEdge => {
  const said = dropNulls(row);
  const body = isObject(said) && member(said, 'edge') !== undefined ? said : { edge: said };
  return (check(AddLineage, body) as unknown as { readonly edge: AskedEdge }).edge;
};

const idsIn = ({ fromEntity, toEntity, lineageDetails }: AskedEdge): readonly string[] =>
  [fromEntity, toEntity, lineageDetails?.pipeline].flatMap((ref) => {
    const id = ref?.['id'];
    return typeof id === 'string' ? [id] : [];
  });

/** The same edges, with the records that rows name by ids at hand: a thousand are read by one statement. */
export const nearTo = async (edges: Edges, asked: readonly AskedEdge[]): Promise<Edges> => {
  const { engine } = edges;
  const ids = asked.flatMap(idsIn);
  const known = new Map<string, TargetNode>();
  await sideBySide(piecesOf([...new Set(ids)], AT_ONCE), 2, async (some) => {
    const rows = some.map((id, at) => ({ id, at }));
    for (const { node } of await engine.graph.read(readReferencesById, { rows })) known.set(node.id, node);
  });
  return { ...edges, engine: { ...engine, store: { ...engine.store, referenceById: async (id) => known.get(id) } } };
};

/** Finds what edges join, each by itself. */
export const findRows = async (edges: Edges, rows: readonly Json[]): Promise<Outcome<Found>[]> => {
  const asked = await Promise.all(rows.map((row) => outcomeOf(() => readRow(row))));
  const near = await nearTo(
    edges,
    asked.flatMap((row) => ('value' in row ? [row.value] : [])),
  );
  return Promise.all(asked.map((row) => ('failure' in row ? row : outcomeOf(() => findEdge(near, row.value)))));
};

const FORBIDDEN = (principal: Principal) => ({
  failure: new CatalogError('forbidden', notAllowed(principal, EDIT)),
});

/** Leaves those edges that the caller may change at both ends, which is asked for all of them together. */
export const permitRows = async (
  { engine }: Edges,
  principal: Principal,
  rows: readonly Outcome<Found>[],
): Promise<Outcome<Found>[]> => {
  const sites = new Map<string, Site>();
  for (const row of rows) {
    if ('failure' in row) continue;
    for (const site of [row.value.from, row.value.to]) sites.set(site.id, site);
  }
  const records = [...sites.values()].map(({ id, kind }) => ({ entityId: id, entityType: kind.entityType }));
  const allowed = await permitted(engine, principal, EDIT, records);
  const open = new Set(records.flatMap(({ entityId }, at) => (allowed[at] ? [entityId] : [])));
  return rows.map((row) => {
    if ('failure' in row) return row;
    return open.has(row.value.from.id) && open.has(row.value.to.id) ? row : FORBIDDEN(principal);
  });
};

/** What was said of an edge, and what of its SQL nobody could make out where that was asked for. */
export type Said = Put & { readonly unresolved?: readonly Unresolved[] };

/** Completes what is said of an edge before it is said. */
export type Prepare = (found: Found) => Promise<Parsed>;

const prepared = (rows: readonly Outcome<Found>[], prepare: Prepare | undefined) =>
  sideBySide(rows, AT_ONCE, (row): Outcome<Partial<Parsed> & { found: Found }> | Promise<Outcome<Parsed>> => {
    if ('failure' in row) return row;
    return prepare && needsParsing(row.value) ? outcomeOf(() => prepare(row.value)) : { value: { found: row.value } };
  });

/** Says what many edges are, each for itself and in their order: of those about one pair of records the last counts. */
export const sayRows = async (
  edges: Edges,
  principal: Principal,
  rows: readonly Outcome<Found>[],
  options: PutOptions,
  prepare?: Prepare,
): Promise<Outcome<Said>[]> => {
  const ready = await prepared(rows, prepare);
  const found = ready.flatMap((row) => ('value' in row ? [row.value.found] : []));
  const said = (await sayAll(edges, principal, found, options)).values();
  return ready.map((row): Outcome<Said> => {
    if ('failure' in row) return row;
    const outcome = said.next().value as Outcome<Put>;
    const { unresolved } = row.value;
    return 'failure' in outcome || unresolved === undefined ? outcome : { value: { ...outcome.value, unresolved } };
  });
};

const STATUSES: Readonly<Partial<Record<CatalogError['code'], number>>> = { forbidden: 403, not_found: 404 };

export const failedRow = (request: Json, { code, message }: CatalogError): Failed => ({
  request,
  status: STATUSES[code] ?? 400,
  message,
});

/** A row that succeeded; where SQL was read for it, with what nobody could make out. */
export type PassedRow = Passed & { readonly unresolved?: readonly Unresolved[] };

export const passedRow = ({ from, to, unresolved }: Said): PassedRow => ({
  request: `${from.fullyQualifiedName}--->${to.fullyQualifiedName}`,
  status: 200,
  ...(unresolved === undefined ? {} : { unresolved }),
});
