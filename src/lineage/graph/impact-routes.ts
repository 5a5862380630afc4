import { viewFor } from '../../catalog/read/answer.ts';
import { permit, VIEW } from '../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef, type View } from '../../catalog/read/render.ts';
import { badRequest } from '../../errors.ts';
import { textParameter, wholeNumber } from '../../http/query.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { LineageImpact } from '../../model/lineage-graph-values.ts';
import { fqnPart } from '../../model/name.ts';
import { type ContractNode, type ContractsOf, contractsOf, type Happening, type Plight } from '../contracts.ts';
import type { Site } from '../ends.ts';
import { cutHeaders } from '../entity-lineage.ts';
import { heeding } from '../heed.ts';
import { type TestNode, testsOf } from '../tests.ts';
import { columnName, testsAmong } from './affected.ts';
import { findRoot, ROOT, viewing } from './ask.ts';
import { below, CHANGES, type Change } from './change.ts';
import { type Description, describe } from './describe.ts';
import { type Affected, findImpact, type Impact } from './impact.ts';
import { findColumn, joinedColumns } from './points.ts';
import type { ColumnRow } from './queries.ts';
import type { Room } from './room.ts';

const changeAsked = ({ query }: Call): Change => {
  const text = query.get('change') || CHANGES[0];
  const change = CHANGES.find((one) => one === text);
  if (!change) throw badRequest(`[change must be one of ${CHANGES.join(', ')}]`);
  return change;
};

type Told = {
  readonly affected: Affected;
  readonly description: Description | undefined;
  readonly contract: ToldContract | undefined;
  readonly tests: readonly TestNode[];
};

/** A contract, and the names of its clauses that are broken. */
type ToldContract = { readonly node: ContractNode; readonly broken: readonly string[] };

/** Records without a tier come after those with the last one. */
const tierRank = ({ description }: Told): string => description?.tier ?? '~';

const CERTAINTIES = ['certain', 'possible'];

const breaches = ({ contract }: Told): number => ((contract?.broken.length ?? 0) > 0 ? 1 : 0);

/** The worst first: what is certain, what breaks a promise, what matters most, what is nearest. */
const worstFirst = (a: Told, b: Told): number =>
  CERTAINTIES.indexOf(a.affected.certainty) - CERTAINTIES.indexOf(b.affected.certainty) ||
  breaches(b) - breaches(a) ||
  (tierRank(a) < tierRank(b) ? -1 : tierRank(a) > tierRank(b) ? 1 : 0) ||
  a.affected.depth - b.affected.depth ||
  (a.affected.node.fullyQualifiedName < b.affected.node.fullyQualifiedName ? -1 : 1);

type RefOf = (id: string) => JsonObject;

/** References to records, each made once: the same ones stand on the ways to many others. */
const refsOf = ({ nodes, sees }: Impact, view: View): RefOf => {
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

const showContracts = (contract: ToldContract | undefined): JsonObject[] => {
  if (!contract) return [];
  const { id, fullyQualifiedName: fqn, status } = contract.node;
  return [{ id, fqn, ...(status === undefined ? {} : { status }), broken: contract.broken }];
};

const showOne = ({ affected, description, contract, tests }: Told, refOf: RefOf, view: View): JsonObject => {
  const { node, columns, depth, path, certainty } = affected;
  return {
    entity: refOf(node.id),
    columns: columns.map((name) => columnName(node.fullyQualifiedName, name)),
    depth,
    path: path.map(refOf),
    certainty,
    owners: (description?.owners ?? []).map((owner) => renderRef(owner.node, view, owner.inherited)),
    contracts: showContracts(contract),
    tests: tests.map((test) => renderRef(test, view)),
    ...(description?.tier === undefined ? {} : { tier: description.tier }),
  };
};

const count = (lists: readonly (readonly unknown[])[]): number => lists.reduce((sum, { length }) => sum + length, 0);

/** What becomes of columns when something is done to them, and of those that are made from them. */
const DONE: Readonly<Record<Change, Happening['change']>> = { drop: 'dropped', rename: 'renamed', retype: 'retyped' };
const CAUSED: Readonly<Record<Change, Happening['change']>> = { drop: 'dropped', rename: 'dropped', retype: 'retyped' };

const happeningsTo = (names: readonly string[], change: Happening['change']): readonly Happening[] =>
  names.map((column) => ({ column, change }));

/** The columns of the record itself that change: with the whole record all of them. */
const changedColumns = async (
  { engine }: Room,
  { id, kind, node }: Site,
  columns: readonly ColumnRow[],
  isWhole: boolean,
): Promise<readonly string[]> => {
  if (!isWhole) return columns.map(({ name }) => below(node, name));
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  return kind.trees.flatMap(([section]) =>
    (record?.columns[section] ?? []).map(({ values }) => fqnPart(String(values['name']))),
  );
};

type Changing = { readonly root: Site; readonly columns: readonly string[]; readonly change: Change };

/** The contracts about the record that changes and about what is affected, with what of them is broken. */
const toldContracts = async (
  room: Room,
  { principal }: Call,
  { root, columns, change }: Changing,
  open: readonly Affected[],
  contracts: ContractsOf,
): Promise<ReadonlyMap<string, ToldContract>> => {
  const plights = [
    [root.id, happeningsTo(columns, DONE[change])] as const,
    ...open.map(({ node, columns: names }) => {
      const paths = names.map((name) => below(node, name));
      return [node.id, happeningsTo(paths, CAUSED[change])] as const;
    }),
  ].flatMap(([id, changes]): Plight[] => {
    const contract = contracts.get(id);
    return contract && changes.length > 0 ? [{ contractId: contract.id, changes }] : [];
  });
  const broken = await room.broken(principal, plights);
  const clausesOf = (id: string): readonly string[] => [...new Set((broken.get(id) ?? []).map(({ clause }) => clause))];
  return new Map([...contracts].map(([id, node]) => [id, { node, broken: clausesOf(node.id) }]));
};

const readImpact =
  (all: Room) =>
  async (call: Call): Promise<Answer> => {
    const room = heeding(all, call.signal);
    const { engine, budget } = room;
    const change = changeAsked(call);
    const maxDepth = wholeNumber(call.query, 'maxDepth', room.maxDepth, 1, room.maxDepth);
    const root = await findRoot(engine, call);
    const names = call.query.getAll('column').filter((name) => name !== '');
    const isWhole = names.length === 0;
    const { columns, isCut } = isWhole
      ? await joinedColumns(engine, root, budget.nodes)
      : { columns: await Promise.all(names.map((name) => findColumn(engine, root, name))), isCut: false };
    await permit(engine, call.principal, VIEW, root);
    const impact = await findImpact(engine, call.principal, root, columns, { change, maxDepth, isWhole, budget });
    const truncated = impact.truncated ?? (isCut ? 'nodes' : undefined);
    const open = impact.affected.filter(({ isHidden }) => !isHidden);
    const ids = open.map(({ node }) => node.id);
    const [described, tests, contracts] = await Promise.all([
      describe(engine.graph, ids),
      testsOf(engine, call.principal, ids),
      contractsOf(engine, call.principal, [root.id, ...ids]),
    ]);
    const changed = contracts.has(root.id) ? await changedColumns(room, root, columns, isWhole) : [];
    const known = await toldContracts(room, call, { root, columns: changed, change }, open, contracts);
    const told = impact.affected.map((affected) => ({
      affected,
      description: affected.isHidden ? undefined : described.get(affected.node.id),
      contract: known.get(affected.node.id),
      tests: testsAmong(affected, tests.get(affected.node.id) ?? []),
    }));
    const view = viewFor(engine, call, NO_FIELDS);
    const refOf = refsOf(impact, view);
    const owners = new Set([...described.values()].flatMap((one) => one.owners.map(({ node }) => node.id)));
    return {
      status: 200,
      headers: cutHeaders(truncated),
      json: {
        root: {
          ...renderRef(root.node, view),
          ...(known.has(root.id) ? { contracts: showContracts(known.get(root.id)) } : {}),
        },
        affected: told.sort(worstFirst).map((one) => showOne(one, refOf, view)),
        summary: {
          entities: told.length,
          columns: count(told.map(({ affected }) => affected.columns)),
          contracts: known.size,
          tests: count(told.map(({ tests: some }) => some)),
          owners: owners.size,
        },
      },
    };
  };

export const impactRoutes = (room: Room): Route[] => [
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/impact',
    summary: 'Tell what a change of a record, or of some of its columns, may break',
    query: [
      ...ROOT,
      textParameter('column', 'A column that changes, by its name below the record or in full; may be repeated'),
      {
        name: 'change',
        description: 'What is done to it, which decides what is certainly affected and what only may be',
        schema: { type: 'string', enum: CHANGES, default: CHANGES[0] },
      },
      {
        name: 'maxDepth',
        description: 'How many steps to walk downstream',
        schema: { type: 'integer', minimum: 1, maximum: room.maxDepth, default: room.maxDepth },
      },
    ],
    responses: { 200: LineageImpact },
    handle: readImpact(room),
  },
];
