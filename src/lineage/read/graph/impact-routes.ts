import { createView } from '../../../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRef } from '../../../catalog/read/render.ts';
import { badRequest } from '../../../errors.ts';
import { integerParameter, textParameter } from '../../../http/query-parameters.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { fqnPart } from '../../../model/name.ts';
import { LineageImpactAnswer } from '../../../model/schemas/lineage/lineage-graph.ts';
import type { Endpoint } from '../../endpoints.ts';
import { withAbortSignal } from '../abort-signal.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import {
  type AffectedColumn,
  type ContractImpact,
  type ContractsByRecord,
  readVisibleContracts,
} from '../record-contracts.ts';
import { readVisibleTests, type TestNode } from '../record-tests.ts';
import { filterAffectedTests } from './affected-tests.ts';
import { type AnswerFit, ASSET_FIELDS, answerFitParameters, readAnswerFit } from './answer-fit.ts';
import { COLUMN_CHANGES, type ColumnChangeType, columnPathBelow } from './change-certainty.ts';
import { fitAnswer, renderDescription } from './fit-answer.ts';
import { findGraphRoot, GRAPH_ROOT_PARAMETERS, graphRouteAccess, readTypes } from './graph-parameters.ts';
import type { GraphRoom } from './graph-room.ts';
import { type AffectedRecord, analyzeImpact, type ImpactAnalysis } from './impact.ts';
import { readNodeDescriptions } from './node-descriptions.ts';
import { findLineageColumn, readJoinedColumns } from './path-endpoints.ts';
import type { LineageColumnRow } from './queries.ts';
import type { ReferenceFitter } from './reference-fitter.ts';
import {
  type AffectedContract,
  createRefLookup,
  type ImpactRow,
  renderAffected,
  renderContracts,
  worstFirst,
} from './render-impact.ts';

const readColumnChange = ({ query }: Call): ColumnChangeType => {
  const text = query.get('change') || COLUMN_CHANGES[0];
  const change = COLUMN_CHANGES.find((one) => one === text);
  if (!change) throw badRequest(`[change must be one of ${COLUMN_CHANGES.join(', ')}]`);
  return change;
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

type ImpactQuestion = {
  readonly change: ColumnChangeType;
  readonly maxDepth: number;
  readonly types: readonly string[];
  readonly names: readonly string[];
};

const readImpactQuestion = ({ engine, maxDepth }: GraphRoom, call: Call): ImpactQuestion => ({
  change: readColumnChange(call),
  maxDepth: integerParameter(call.query, 'maxDepth', maxDepth, 1, maxDepth),
  types: readTypes(engine, call),
  names: call.query.getAll('column').filter((name) => name !== ''),
});

/** Finds what a change affects, among the types that the caller asks for. */
const findImpact = async (
  { engine, budget }: GraphRoom,
  { principal }: Call,
  root: Endpoint,
  { change, maxDepth, types, names }: ImpactQuestion,
) => {
  const isWhole = names.length === 0;
  const { columns, isCut } = isWhole
    ? await readJoinedColumns(engine, root, budget.nodes)
    : { columns: await Promise.all(names.map((name) => findLineageColumn(engine, root, name))), isCut: false };
  const found = await analyzeImpact(engine, principal, root, columns, { change, maxDepth, isWhole, budget });
  // The walk has passed through assets of all types, so that it reaches those behind them.
  const affected = found.affected.filter(({ node }) => types.length === 0 || types.includes(node.entityType));
  const truncated = found.truncated ?? (isCut ? ('nodes' as const) : undefined);
  return { impact: { ...found, affected, truncated }, columns, isWhole };
};

type ImpactFindings = {
  readonly root: Endpoint;
  readonly impact: ImpactAnalysis;
  /** The worst first. */
  readonly rows: readonly ImpactRow[];
  readonly ownTests: readonly TestNode[];
  readonly ownContracts: readonly AffectedContract[];
};

/** Reads who owns what is affected, and which contracts and tests it has. */
const describeImpact = async (
  room: GraphRoom,
  call: Call,
  root: Endpoint,
  question: ImpactQuestion,
): Promise<ImpactFindings> => {
  const { engine } = room;
  const { impact, columns, isWhole } = await findImpact(room, call, root, question);
  const open = impact.affected.filter(({ isHidden }) => !isHidden);
  const ids = open.map(({ node }) => node.id);
  const [described, tests, contracts] = await Promise.all([
    readNodeDescriptions(engine.graph, ids),
    readVisibleTests(engine, call.principal, [root.id, ...ids]),
    readVisibleContracts(engine, call.principal, [root.id, ...ids]),
  ]);
  const changed = contracts.has(root.id) ? await changedColumns(room, root, columns, isWhole) : [];
  const known = await readAffectedContracts(
    room,
    call,
    { root, columns: changed, change: question.change },
    open,
    contracts,
  );
  const contractsOf = (id: string): readonly AffectedContract[] => {
    const one = known.get(id);
    return one ? [one] : [];
  };
  const rows = impact.affected.map((affected) => ({
    affected,
    description: affected.isHidden ? undefined : described.get(affected.node.id),
    contracts: contractsOf(affected.node.id),
    tests: filterAffectedTests(affected, tests.get(affected.node.id) ?? []),
  }));
  const ownTests = filterAffectedTests(
    { node: root.node, columns: isWhole ? [] : columns.map(({ name }) => name) },
    tests.get(root.id) ?? [],
  );
  return { root, impact, rows: rows.sort(worstFirst), ownTests, ownContracts: contractsOf(root.id) };
};

/** Counts what is affected, and the tests and contracts of the changed asset itself with it. */
const summarizeImpact = ({ rows, ownTests, ownContracts }: ImpactFindings): JsonObject => {
  const owners = new Set(rows.flatMap(({ description }) => (description?.owners ?? []).map(({ node }) => node.id)));
  return {
    entities: rows.length,
    columns: countItems(rows.map(({ affected }) => affected.columns)),
    contracts: ownContracts.length + countItems(rows.map(({ contracts }) => contracts)),
    tests: ownTests.length + countItems(rows.map(({ tests }) => tests)),
    owners: owners.size,
  };
};

const fitAffected = (row: JsonObject, { fitReference, fitMembers }: ReferenceFitter): JsonObject => ({
  ...fitMembers(row),
  entity: fitReference(row['entity'] as JsonObject),
  path: (row['path'] as readonly JsonObject[]).map(fitReference),
});

const renderImpact = (
  { engine }: GraphRoom,
  call: Call,
  findings: ImpactFindings,
  fit: AnswerFit,
): Promise<JsonObject> => {
  const { root, impact, rows, ownTests, ownContracts } = findings;
  const view = createView(engine, call, NO_FIELDS);
  const refOf = createRefLookup(impact, view);
  const extras = ['service', 'domains'].filter((name) => fit.fields?.has(name));
  return fitAnswer(engine, call.principal, fit, {
    answer: {
      root: {
        ...renderRef(root.node, view),
        ...(ownContracts.length > 0 ? { contracts: renderContracts(ownContracts) } : {}),
        ...(ownTests.length > 0 ? { tests: ownTests.map((test) => renderRef(test, view)) } : {}),
      },
      affected: rows.map((one) => renderAffected(one, refOf, view, extras)),
      summary: summarizeImpact(findings),
    },
    listAssets: () =>
      rows.map(({ affected, description }) => ({
        ...refOf(affected.node.id),
        ...(affected.isHidden ? {} : renderDescription(description, view)),
      })),
    reshape: (answer, fitter) => ({
      ...answer,
      root: fitter.fitAsset(answer['root'] as JsonObject),
      affected: (answer['affected'] as readonly JsonObject[]).map((row) => fitAffected(row, fitter)),
    }),
  });
};

/** Answers what a change of an asset affects, by the parameters of its query. */
export const handleImpact =
  (all: GraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine } = room;
    const question = readImpactQuestion(room, call);
    const fit = readAnswerFit(call, ASSET_FIELDS);
    const root = await findGraphRoot(engine, call);
    await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, root);
    const findings = await describeImpact(room, call, root, question);
    const headers = truncationHeaders(findings.impact.truncated);
    return { status: 200, headers, json: await renderImpact(room, call, findings, fit) };
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
      textParameter(
        'types',
        'Comma-separated entity types of the affected assets to return; assets of other types still pass the change on',
      ),
      ...answerFitParameters('the affected assets', ASSET_FIELDS),
    ],
    responses: { 200: LineageImpactAnswer },
    handle: handleImpact(room),
  },
];
