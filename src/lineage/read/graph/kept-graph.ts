import { isDeepStrictEqual } from 'node:util';
import { SYSTEM_PRINCIPAL } from '../../../access/service-identity.ts';
import type { Engine } from '../../../catalog/engine.ts';
import { canSeeEverything } from '../../../catalog/read/facts.ts';
import type { Answer, Call } from '../../../http/route.ts';
import type { JsonObject } from '../../../model/json.ts';
import { canKeepLineage, encodedLineage, type KeptLineage } from '../kept-lineage.ts';
import { readVisibleContracts } from '../record-contracts.ts';
import { type AnswerFit, hasMember, needsDescriptions } from './answer-fit.ts';
import type { LineageGraph } from './build-graph.ts';
import { DELETED_STATES } from './drawn-edges.ts';
import { type GraphFilter, type GraphInclude, needsDescription } from './graph-parameters.ts';
import { countPresentNeighbours } from './graph-reader.ts';
import { DESCRIPTION_BATCH } from './node-descriptions.ts';
import { NAMED_NODE_FIELDS } from './node-members.ts';
import { listMentioned, listTestStates, type NeighbourCount } from './queries.ts';

/**
 * Keeps graphs as callers who see every record get them. A graph is current while the lineage revisions of all records are
 * as they were that its walk reached or from which its descriptions follow, and while what changes without a revision is
 * as it was: numbers of neighbours, and states of tests and contracts.
 */

export type DrawnAnswer = {
  readonly drawing: LineageGraph;
  readonly headers: NonNullable<Answer['headers']>;
  readonly stream: AsyncIterable<string>;
};

/** What was asked, as far as it decides whether and how the answer is kept. */
export type DrawnQuestion = {
  readonly include: GraphInclude;
  readonly filter: GraphFilter;
  readonly fit: AnswerFit;
  readonly isTrail: boolean;
};

/** Members that need rights of their own or change by themselves. */
const NEVER_KEPT = [...NAMED_NODE_FIELDS, 'columns'];

const isKeepable = (engine: Engine, { principal, query }: Call, { filter, fit, isTrail }: DrawnQuestion): boolean =>
  !isTrail &&
  (query.get('format') || 'json') === 'json' &&
  ['asOf', 'assertions'].every((name) => !query.get(name)) &&
  !needsDescription(filter) &&
  !NEVER_KEPT.some((name) => fit.fields?.has(name)) &&
  canSeeEverything(engine, principal);

const graphKey = ({ query, hrefBase = '' }: Call): string => JSON.stringify(['graph', query.toString(), hrefBase]);

/** The numbers and states that a graph shows of its nodes. */
type ShownStates = {
  readonly ids: readonly string[];
  readonly neighbours: readonly NeighbourCount[];
  /** By the ID of the node; undefined where the caller did not want them. */
  readonly tests: ReadonlyMap<string, unknown> | undefined;
  readonly contracts: ReadonlyMap<string, unknown> | undefined;
};

const readStates = async (
  engine: Engine,
  { ids, tests, contracts }: ShownStates,
  include: GraphInclude,
): Promise<ShownStates> => {
  const [neighbours, rows, found] = await Promise.all([
    countPresentNeighbours(engine.graph, ids, DELETED_STATES[include]),
    tests ? engine.graph.read(listTestStates, { ids }) : [],
    contracts ? readVisibleContracts(engine, SYSTEM_PRINCIPAL, ids) : [],
  ]);
  const judged = [...found].flatMap(([id, { status }]) => (status === undefined ? [] : [[id, status] as const]));
  return {
    ids,
    neighbours,
    tests: tests && new Map(rows.map(({ id, testStatus }) => [id, testStatus])),
    contracts: contracts && new Map(judged),
  };
};

const bySide = (one: ShownStates): unknown => ({
  ...one,
  neighbours: new Map(one.neighbours.map((row) => [row.id, row])),
});

/** Takes the states from the answer itself, so that they are those that it tells. */
const statesIn = (text: string, { neighbours = [] }: LineageGraph, fit: AnswerFit): ShownStates => {
  const { nodes, entities } = JSON.parse(text) as {
    readonly nodes: readonly (JsonObject | string)[];
    readonly entities?: JsonObject;
  };
  const shown = (entities ? Object.values(entities) : nodes) as readonly JsonObject[];
  const stated = (member: string) =>
    hasMember(fit, member)
      ? new Map(shown.flatMap((node) => (member in node ? [[String(node['id']), node[member]] as const] : [])))
      : undefined;
  return {
    ids: neighbours.map(({ id }) => id),
    neighbours,
    tests: stated('testStatus'),
    contracts: stated('contractStatus'),
  };
};

/** No text in the answer looks like this, because its quotation marks are escaped there. */
const TIME = '"asOf":';
const NO_TIME = '0'.repeat(String(Date.now()).length);

/** Where the time stands that an answer is of. */
const findTime = (content: Buffer): number => content.lastIndexOf(TIME) + TIME.length;

/** An answer without its time, so that two of them can be compared; undefined where another time would not fit in. */
const withoutTime = (text: string): Buffer | undefined => {
  const content = Buffer.from(text);
  const start = findTime(content);
  const length = /^\d*/.exec(content.toString('latin1', start, start + NO_TIME.length + 1))?.[0].length;
  if (length !== NO_TIME.length) return undefined;
  content.write(NO_TIME, start);
  return content;
};

const withTime = (kept: Buffer, now: number): Buffer => {
  const content = Buffer.from(kept);
  content.write(String(now), findTime(content));
  return content;
};

/** Passes the pieces of an answer on, and takes the whole of one that somebody reads to its end. */
async function* passOn(pieces: AsyncIterable<string>, take: (text: string) => Promise<void>): AsyncGenerator<string> {
  const read: string[] = [];
  for await (const piece of pieces) {
    read.push(piece);
    yield piece;
  }
  // Everything was answered by then, and whoever asks next meets the failure of the store.
  await take(read.join('')).catch(() => {});
}

type KeptGraphRoom = { readonly engine: Engine; readonly kept: KeptLineage };

const keepGraph = async (
  { engine, kept }: KeptGraphRoom,
  key: string,
  { include, fit }: DrawnQuestion,
  drawing: LineageGraph,
  text: string,
): Promise<void> => {
  const { roots, reached = [], edges } = drawing;
  const [root] = roots;
  const content = withoutTime(text);
  if (!root || !content) return;
  const rows = needsDescriptions(fit) ? await engine.graph.read(listMentioned, { ids: reached }) : [];
  const carriers = edges.flatMap(({ tuple }) => tuple?.[2] ?? []);
  const mentioned = rows.flatMap(({ id, mentioned: others }) => [id, ...others]);
  const records = new Map([...reached, ...carriers, ...mentioned].map((id) => [id, undefined]));
  const states = statesIn(text, drawing, fit);
  const isUnchanged = async (all: Engine) =>
    isDeepStrictEqual(bySide(await readStates(all, states, include)), bySide(states));
  await kept.keep(key, root.id, records, { content, isUnchanged });
};

/** Answers a question about the graph around some records, as it was kept or made anew. */
export const answerGraph = async (
  room: KeptGraphRoom,
  call: Call,
  question: DrawnQuestion,
  make: () => Promise<DrawnAnswer>,
): Promise<Answer> => {
  const { engine, kept } = room;
  const isKept = isKeepable(engine, call, question);
  const key = graphKey(call);
  const known = isKept ? await kept.find(key) : undefined;
  if (known) return encodedLineage({ content: withTime(known.content, engine.clock()) });
  const { drawing, headers, stream } = await make();
  const answer = { status: 200, headers, stream };
  const { truncated, nodes, roots } = drawing;
  const isWhole = truncated === undefined && nodes.length <= DESCRIPTION_BATCH;
  if (!isKept || !isWhole || !roots.every(({ kind }) => canKeepLineage(engine, call.principal, kind))) return answer;
  return { ...answer, stream: passOn(stream, (text) => keepGraph(room, key, question, drawing, text)) };
};
