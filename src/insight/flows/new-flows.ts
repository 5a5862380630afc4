import { SYSTEM_PRINCIPAL } from '../../access/service-identity.ts';
import { CatalogError } from '../../errors.ts';
import type { NumberedEvent } from '../../events/tail.ts';
import { withPositions } from '../../graph/statement.ts';
import { columnPathBelow } from '../../lineage/read/graph/change-certainty.ts';
import { isArray, isObject, type JsonObject, member } from '../../model/json.ts';
import { type FlowWish, flowKeyOf } from '../../model/language/flow-wish.ts';
import type { NewFlowReader } from '../../subscriptions/subscription-reader.ts';
import { createTrustRules, type PropagationDeps } from '../propagation/propagation-deps.ts';
import type { FlowNode, FlowSource } from './flow-graph.ts';
import { type LabelGraph, readLabelGraph } from './list-flows.ts';
import { type EdgeSince, listNewPairs } from './queries.ts';

/**
 * Tells which changes let a label flow by a way that was not there: a new edge or new columns of one on the way, a new
 * label at its beginning, or an asset on it that came back. What is looked at is the graph as it is when the change is
 * told; a way that is gone by then is no news.
 */

const EDGE_EVENTS = new Set(['entityLineageAdded', 'entityLineageUpdated']);
/** What is created has no lineage yet; the edge that comes later is told. */
const LABEL_EVENT = 'entityUpdated';
const RETURN_EVENT = 'entityRestored';

type FieldChange = { readonly name: string; readonly text: string };

/** What was added or has another value now. */
const listNews = (event: JsonObject): readonly FieldChange[] => {
  const change = member(event, 'changeDescription');
  if (!isObject(change)) return [];
  return ['fieldsAdded', 'fieldsUpdated'].flatMap((list) => {
    const fields = member(change, list);
    return isArray(fields)
      ? fields.filter(isObject).map((field) => ({
          name: String(member(field, 'name')),
          text: String(member(field, 'newValue') ?? ''),
        }))
      : [];
  });
};

type ToldEdge = { readonly toEntity?: string; readonly lineageDetails?: { readonly updatedAt?: number } };

/** The edges of an event. Of one that was there before, only the columns that are new since then count. */
const listEdges = (event: NumberedEvent): readonly EdgeSince[] =>
  listNews(event.value()).flatMap(({ text }): EdgeSince[] => {
    const { toEntity, lineageDetails } = JSON.parse(text) as ToldEdge;
    const since = event.eventType === 'entityLineageAdded' ? 0 : (lineageDetails?.updatedAt ?? 0);
    return toEntity === undefined ? [] : [{ from: event.entityId, to: toEntity, since }];
  });

/** Whether a step is one of those that an event brought about. */
type StepTest = (from: FlowNode, to: FlowNode) => boolean;

const stepKey = (from: string, to: string): string => `${from} ${to}`;

/** Reads what is new of the edges of some events, by the number of the event. */
const readNewSteps = async (
  { engine }: PropagationDeps,
  events: readonly NumberedEvent[],
): Promise<ReadonlyMap<number, StepTest>> => {
  const told = events
    .filter(({ eventType }) => EDGE_EVENTS.has(eventType))
    .flatMap((event) => listEdges(event).map((edge) => ({ event, edge })));
  const rows =
    told.length === 0
      ? []
      : await engine.graph.read(listNewPairs, { rows: withPositions(told.map(({ edge }) => edge)) });
  const columns = new Map<number, Set<string>>();
  const assets = new Map<number, Set<string>>();
  for (const { at, pairs } of rows) {
    const { event, edge } = told[at] as (typeof told)[number];
    const known = columns.get(event.seq) ?? new Set();
    columns.set(event.seq, known);
    for (const [from, to] of pairs) known.add(stepKey(from, to));
    // An edge is one step of labels that are somewhere in its asset, whatever is known of its columns.
    if (event.eventType !== 'entityLineageAdded') continue;
    assets.set(event.seq, (assets.get(event.seq) ?? new Set()).add(stepKey(edge.from, edge.to)));
  }
  return new Map(
    [...columns].map(([seq, pairs]): [number, StepTest] => [
      seq,
      (from, to) =>
        to.isColumn
          ? pairs.has(stepKey(from.key, to.key))
          : (assets.get(seq)?.has(stepKey(from.owner.id, to.owner.id)) ?? false),
    ]),
  );
};

/** Whether the columns of an event have a label now that they did not have. */
const createSourceTest = (event: NumberedEvent): ((source: FlowSource) => boolean) => {
  if (event.eventType !== LABEL_EVENT) return () => false;
  const changes = listNews(event.value()).filter(({ name }) => name.endsWith('tags'));
  return ({ owner, fullyQualifiedName, labels }) =>
    owner.id === event.entityId &&
    changes.some(
      ({ name, text }) =>
        name.endsWith(`.${columnPathBelow(owner, fullyQualifiedName)}.tags`) &&
        labels.some(({ tagFQN }) => text.includes(JSON.stringify(tagFQN))),
    );
};

/** The keys of all nodes from which a label reaches a target, the targets included. */
const findLeadingOn = ({ graph: { arcs } }: LabelGraph, types: ReadonlySet<string>): ReadonlySet<string> => {
  const entering = new Map<string, string[]>();
  const ends = new Set<string>();
  for (const [from, to] of arcs) {
    const known = entering.get(to.key);
    if (known) known.push(from.key);
    else entering.set(to.key, [from.key]);
    if (types.has(to.owner.entityType)) ends.add(to.key);
  }
  // The set grows while it is read, until nothing new leads on.
  for (const key of ends) for (const before of entering.get(key) ?? []) ends.add(before);
  return ends;
};

/** Whether an event brought about a flow. Everything in the graph is reached by a label. */
const bringsFlow = (
  event: NumberedEvent,
  found: LabelGraph,
  leadsOn: ReadonlySet<string>,
  isNewStep: StepTest | undefined,
): boolean => {
  const isNewSource = createSourceTest(event);
  if (found.sources.some((source) => leadsOn.has(source.key) && isNewSource(source))) return true;
  const isReturned = (node: FlowNode): boolean => event.eventType === RETURN_EVENT && node.owner.id === event.entityId;
  return found.graph.arcs.some(
    ([from, to]) => leadsOn.has(to.key) && (isReturned(from) || isReturned(to) || (isNewStep?.(from, to) ?? false)),
  );
};

/** Whether an event may bring a label of a tag anywhere; most are told apart by their text. */
const mayBring = ({ eventType, json }: NumberedEvent, tag: string): boolean =>
  EDGE_EVENTS.has(eventType) ||
  eventType === RETURN_EVENT ||
  (eventType === LABEL_EVENT && json.includes('tagFQN') && (json.includes(tag) || /["\\]/.test(tag)));

const readWishedGraph = async (deps: PropagationDeps, { tag }: FlowWish): Promise<LabelGraph | undefined> => {
  const { engine, budget, maxDepth, blockers } = deps;
  const trust = createTrustRules(blockers, engine.clock());
  try {
    return await readLabelGraph(engine, SYSTEM_PRINCIPAL, { tag, trust, maxDepth, budget });
  } catch (failure) {
    // A tag that is gone flows nowhere.
    if (failure instanceof CatalogError && failure.code === 'not_found') return undefined;
    throw failure;
  }
};

const distinct = (wishes: readonly FlowWish[]): readonly FlowWish[] => [
  ...new Map(wishes.map((wish) => [flowKeyOf(wish), wish])).values(),
];

export const createNewFlowReader =
  (deps: PropagationDeps): NewFlowReader =>
  async (events, wishes) => {
    const news = new Map<number, Set<string>>();
    if (wishes.length === 0) return news;
    const steps = await readNewSteps(deps, events);
    for (const wish of distinct(wishes)) {
      const some = events.filter((event) => mayBring(event, wish.tag));
      const found = some.length === 0 ? undefined : await readWishedGraph(deps, wish);
      if (!found) continue;
      const leadsOn = findLeadingOn(found, new Set(wish.types));
      for (const event of some) {
        if (!bringsFlow(event, found, leadsOn, steps.get(event.seq))) continue;
        news.set(event.seq, (news.get(event.seq) ?? new Set()).add(flowKeyOf(wish)));
      }
    }
    return news;
  };
