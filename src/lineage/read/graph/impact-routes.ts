import { createView } from '../../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, textParameter } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { fqnPart } from '../../../model/name.ts';
import { LineageImpact } from '../../../model/schemas/lineage/lineage-graph.ts';
import type { Endpoint } from '../../endpoints.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import {
  type AffectedColumn,
  type ContractImpact,
  type ContractNode,
  type ContractsByRecord,
  readVisibleContracts,
} from '../record-contracts.ts';
import { readVisibleTests, type TestNode } from '../record-tests.ts';
import { filterAffectedTests, qualifyColumnName } from './affected-tests.ts';
import { COLUMN_CHANGES, type ColumnChangeType, columnPathBelow } from './change-certainty.ts';
import { findGraphRoot, GRAPH_ROOT_PARAMETERS, graphRouteAccess } from './graph-parameters.ts';
import type { GraphRoom } from './graph-room.ts';
import { type AffectedRecord, analyzeImpact, type ImpactAnalysis } from './impact.ts';
import { type NodeDescription, readNodeDescriptions } from './node-descriptions.ts';
import { findLineageColumn, readJoinedColumns } from './path-endpoints.ts';
import type { LineageColumnRow } from './queries.ts';

const readColumnChange = ({ query }: Call): ColumnChangeType => {
  const text = query.get('change') || COLUMN_CHANGES[0];
  const change = COLUMN_CHANGES.find((one) => one === text);
  if (!change) throw badRequest(`[change must be one of ${COLUMN_CHANGES.join(', ')}]`);
  return change;
};

type ImpactRow = {
  readonly affected: AffectedRecord;
  readonly description: NodeDescription | undefined;
  readonly contract: AffectedContract | undefined;
  readonly tests: readonly TestNode[];
};

/** A contract and the names of its broken clauses. */
type AffectedContract = { readonly node: ContractNode; readonly broken: readonly string[] };

/** Records without a tier sort after all tiers. */
const tierRank = ({ description }: ImpactRow): string => description?.tier ?? '~';

const CERTAINTIES = ['certain', 'possible'];

const countBreaches = ({ contract }: ImpactRow): number => ((contract?.broken.length ?? 0) > 0 ? 1 : 0);

/** Sorts by certainty, broken contracts, tier and distance. */
const worstFirst = (a: ImpactRow, b: ImpactRow): number =>
  CERTAINTIES.indexOf(a.affected.certainty) - CERTAINTIES.indexOf(b.affected.certainty) ||
  countBreaches(b) - countBreaches(a) ||
  (tierRank(a) < tierRank(b) ? -1 : tierRank(a) > tierRank(b) ? 1 : 0) ||
  a.affected.depth - b.affected.depth ||
  (a.affected.node.fullyQualifiedName < b.affected.node.fullyQualifiedName ? -1 : 1);

type RefLookup = (id: string) => JsonObject;

/** Creates a lookup that renders each reference once, because the same records occur on many paths. */
const createRefLookup = ({ nodes, sees }: ImpactAnalysis, view: View): RefLookup => {
  const made = new Map<string, JsonObject>();
  const make = (id: string): JsonObject => {
    const known = nodes.get(id);
    if (!known) return { id };
    return sees(id) ? renderRef(known, view) : { id, type: known.entityType, hidden: true };
  };
  return (id) => {
    const ref = made.get(id) ?? make(id);
    made.set(id, ref);
    return ref;
  };
};

const renderContracts = (contract: AffectedContract | undefined): JsonObject[] => {
  if (!contract) return [];
  const { id, fullyQualifiedName: fqn, status } = contract.node;
  return [{ id, fqn, ...(status === undefined ? {} : { status }), broken: contract.broken }];
};

const renderAffected = (
  { affected, description, contract, tests }: ImpactRow,
  refOf: RefLookup,
  view: View,
): JsonObject => {
  const { node, columns, depth, path, certainty } = affected;
  return {
    entity: refOf(node.id),
    columns: columns.map((name) => qualifyColumnName(node.fullyQualifiedName, name)),
    depth,
    path: path.map(refOf),
    certainty,
    owners: (description?.owners ?? []).map((owner) => renderRef(owner.node, view, owner.inherited)),
    contracts: renderContracts(contract),
    tests: tests.map((test) => renderRef(test, view)),
    ...(description?.tier === undefined ? {} : { tier: description.tier }),
  };
};

const countItems = (lists: readonly (readonly unknown[])[]): number =>
  lists.reduce((sum, { length }) => sum + length, 0);

/** The effect of each column change on the columns made from the changed column. */
const CHANGE_OF_COLUMN: Readonly<Record<ColumnChangeType, AffectedColumn['change']>> = {
  drop: 'dropped',
  rename: 'renamed',
  retype: 'retyped',
};
const CHANGE_OF_DERIVED: Readonly<Record<ColumnChangeType, AffectedColumn['change']>> = {
  drop: 'dropped',
  rename: 'dropped',
  retype: 'retyped',
};

const listAffectedColumns = (names: readonly string[], change: AffectedColumn['change']): readonly AffectedColumn[] =>
  names.map((column) => ({ column, change }));

/** Returns the columns of the root that change; all of them when the whole record changes. */
const changedColumns = async (
  { engine }: GraphRoom,
  { id, kind, node }: Endpoint,
  columns: readonly LineageColumnRow[],
  isWhole: boolean,
): Promise<readonly string[]> => {
  if (!isWhole) return columns.map(({ name }) => columnPathBelow(node, name));
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  return kind.columnTrees.flatMap(([section]) =>
    (record?.columns[section] ?? []).map(({ values }) => fqnPart(String(values['name']))),
  );
};

type RecordChange = { readonly root: Endpoint; readonly columns: readonly string[]; readonly change: ColumnChangeType };

/** Reads the contracts of the changed record and of the affected records, with their broken clauses. */
const readAffectedContracts = async (
  room: GraphRoom,
  { principal }: Call,
  { root, columns, change }: RecordChange,
  open: readonly AffectedRecord[],
  contracts: ContractsByRecord,
): Promise<ReadonlyMap<string, AffectedContract>> => {
  const plights = [
    [root.id, listAffectedColumns(columns, CHANGE_OF_COLUMN[change])] as const,
    ...open.map(({ node, columns: names }) => {
      const paths = names.map((name) => columnPathBelow(node, name));
      return [node.id, listAffectedColumns(paths, CHANGE_OF_DERIVED[change])] as const;
    }),
  ].flatMap(([id, changes]): ContractImpact[] => {
    const contract = contracts.get(id);
    return contract && changes.length > 0 ? [{ contractId: contract.id, changes }] : [];
  });
  const broken = await room.findBrokenClauses(principal, plights);
  const clausesOf = (id: string): readonly string[] => [...new Set((broken.get(id) ?? []).map(({ clause }) => clause))];
  return new Map([...contracts].map(([id, node]) => [id, { node, broken: clausesOf(node.id) }]));
};

const handleImpact =
  (all: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine, budget } = room;
    const change = readColumnChange(call);
    const maxDepth = integerParameter(call.query, 'maxDepth', room.maxDepth, 1, room.maxDepth);
    const root = await findGraphRoot(engine, call);
    const names = call.query.getAll('column').filter((name) => name !== '');
    const isWhole = names.length === 0;
    const { columns, isCut } = isWhole
      ? await readJoinedColumns(engine, root, budget.nodes)
      : { columns: await Promise.all(names.map((name) => findLineageColumn(engine, root, name))), isCut: false };
    await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, root);
    const impact = await analyzeImpact(engine, call.principal, root, columns, { change, maxDepth, isWhole, budget });
    const truncated = impact.truncated ?? (isCut ? 'nodes' : undefined);
    const open = impact.affected.filter(({ isHidden }) => !isHidden);
    const ids = open.map(({ node }) => node.id);
    const [described, tests, contracts] = await Promise.all([
      readNodeDescriptions(engine.graph, ids),
      readVisibleTests(engine, call.principal, [root.id, ...ids]),
      readVisibleContracts(engine, call.principal, [root.id, ...ids]),
    ]);
    const changed = contracts.has(root.id) ? await changedColumns(room, root, columns, isWhole) : [];
    const known = await readAffectedContracts(room, call, { root, columns: changed, change }, open, contracts);
    const told = impact.affected.map((affected) => ({
      affected,
      description: affected.isHidden ? undefined : described.get(affected.node.id),
      contract: known.get(affected.node.id),
      tests: filterAffectedTests(affected, tests.get(affected.node.id) ?? []),
    }));
    const ownTests = filterAffectedTests(
      { node: root.node, columns: isWhole ? [] : columns.map(({ name }) => name) },
      tests.get(root.id) ?? [],
    );
    const view = createView(engine, call, NO_FIELDS);
    const refOf = createRefLookup(impact, view);
    const owners = new Set([...described.values()].flatMap((one) => one.owners.map(({ node }) => node.id)));
    return {
      status: 200,
      headers: truncationHeaders(truncated),
      json: {
        root: {
          ...renderRef(root.node, view),
          ...(known.has(root.id) ? { contracts: renderContracts(known.get(root.id)) } : {}),
          ...(ownTests.length > 0 ? { tests: ownTests.map((test) => renderRef(test, view)) } : {}),
        },
        affected: told.sort(worstFirst).map((one) => renderAffected(one, refOf, view)),
        summary: {
          entities: told.length,
          columns: countItems(told.map(({ affected }) => affected.columns)),
          contracts: known.size,
          tests: ownTests.length + countItems(told.map(({ tests: some }) => some)),
          owners: owners.size,
        },
      },
    };
  };

export const lineageImpactRoutes = (room: GraphRoom): Route[] => [
  {
    ...graphRouteAccess,
    method: 'GET',
    path: '/v1/lineage/impact',
    summary: 'Get lineage impact: what a change of an asset or of its columns may break',
    query: [
      ...GRAPH_ROOT_PARAMETERS,
      textParameter('column', 'Name of a changed column, relative to the asset or fully qualified; may be repeated'),
      {
        name: 'change',
        description: 'Type of the change, which decides what breaks and what may break',
        schema: { type: 'string', enum: COLUMN_CHANGES, default: COLUMN_CHANGES[0] },
      },
      {
        name: 'maxDepth',
        description: 'Number of downstream levels to follow',
        schema: { type: 'integer', minimum: 1, maximum: room.maxDepth, default: room.maxDepth },
      },
    ],
    responses: { 200: LineageImpact },
    handle: handleImpact(room),
  },
];
