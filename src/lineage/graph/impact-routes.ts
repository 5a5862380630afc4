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
import { TRUNCATED_HEADER } from '../entity-lineage.ts';
import { type TestNode, testsOf } from '../tests.ts';
import { findRoot, ROOT, viewing } from './ask.ts';
import { CHANGES, type Change } from './change.ts';
import { type Description, describe } from './describe.ts';
import { type Affected, findImpact, type Impact } from './impact.ts';
import { findColumn, joinedColumns } from './points.ts';
import { heeding, type Room } from './room.ts';

const changeAsked = ({ query }: Call): Change => {
  const text = query.get('change') || CHANGES[0];
  const change = CHANGES.find((one) => one === text);
  if (!change) throw badRequest(`[change must be one of ${CHANGES.join(', ')}]`);
  return change;
};

type Told = {
  readonly affected: Affected;
  readonly description: Description | undefined;
  readonly tests: readonly TestNode[];
};

/** Records without a tier come after those with the last one. */
const tierRank = ({ description }: Told): string => description?.tier ?? '~';

const CERTAINTIES = ['certain', 'possible'];

/** The worst first: what is certain, what matters most, what is nearest. */
const worstFirst = (a: Told, b: Told): number =>
  CERTAINTIES.indexOf(a.affected.certainty) - CERTAINTIES.indexOf(b.affected.certainty) ||
  (tierRank(a) < tierRank(b) ? -1 : tierRank(a) > tierRank(b) ? 1 : 0) ||
  a.affected.depth - b.affected.depth ||
  (a.affected.node.fullyQualifiedName < b.affected.node.fullyQualifiedName ? -1 : 1);

const columnName = (owner: string, name: string): string =>
  name.startsWith(`${owner}.`) ? name : `${owner}.${fqnPart(name)}`;

/** The tests of what is affected: of the record as a whole, and of those of its columns that are, where these are known. */
const testsAmong = ({ node, columns }: Affected, tests: readonly TestNode[]): readonly TestNode[] => {
  const { fullyQualifiedName: owner } = node;
  const names = new Set(columns.map((name) => columnName(owner, name).toLowerCase()));
  const isMeant = (test: TestNode) =>
    test.columnName === null || names.has(`${owner}.${test.columnName}`.toLowerCase());
  return names.size === 0 ? tests : tests.filter(isMeant);
};

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

const showOne = ({ affected, description, tests }: Told, refOf: RefOf, view: View): JsonObject => {
  const { node, columns, depth, path, certainty } = affected;
  return {
    entity: refOf(node.id),
    columns: columns.map((name) => columnName(node.fullyQualifiedName, name)),
    depth,
    path: path.map(refOf),
    certainty,
    owners: (description?.owners ?? []).map((owner) => renderRef(owner.node, view, owner.inherited)),
    tests: tests.map((test) => renderRef(test, view)),
    ...(description?.tier === undefined ? {} : { tier: description.tier }),
  };
};

const count = (lists: readonly (readonly unknown[])[]): number => lists.reduce((sum, { length }) => sum + length, 0);

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
    const columns = isWhole
      ? await joinedColumns(engine, root, budget.nodes)
      : await Promise.all(names.map((name) => findColumn(engine, root, name)));
    await permit(engine, call.principal, VIEW, root);
    const impact = await findImpact(engine, call.principal, root, columns, { change, maxDepth, isWhole, budget });
    const open = impact.affected.filter(({ isHidden }) => !isHidden);
    const ids = open.map(({ node }) => node.id);
    const described = await describe(engine.graph, ids);
    const tests = await testsOf(engine, call.principal, ids);
    const told = impact.affected.map((affected) => ({
      affected,
      description: affected.isHidden ? undefined : described.get(affected.node.id),
      tests: testsAmong(affected, tests.get(affected.node.id) ?? []),
    }));
    const view = viewFor(engine, call, NO_FIELDS);
    const refOf = refsOf(impact, view);
    const owners = new Set([...described.values()].flatMap((one) => one.owners.map(({ node }) => node.id)));
    return {
      status: 200,
      headers: impact.truncated ? { [TRUNCATED_HEADER]: impact.truncated } : {},
      json: {
        root: renderRef(root.node, view),
        affected: told.sort(worstFirst).map((one) => showOne(one, refOf, view)),
        summary: {
          entities: told.length,
          columns: count(told.map(({ affected }) => affected.columns)),
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
