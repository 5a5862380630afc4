import { compareByFqn } from '../../model/name.ts';
import type { AgreementState } from '../../model/schemas/insight/agreement.ts';
import { type LineageView, memoisePerView } from '../graph/lineage-view.ts';
import type { LineageNetwork, NetworkAsset } from '../graph/network.ts';
import { isInScope, type Scope } from '../scope.ts';
import { agreementOf } from './agreement.ts';

/** Lists the edges of a view by the names of their ends, with their states. */

type ListedEdge = { readonly from: number; readonly to: number; readonly state: AgreementState };

/** The numbers of the assets in the order of their names, and their places in it. */
const orderByName = ({ assets }: LineageNetwork) => {
  const order = Int32Array.from(assets.keys()).sort(
    (one, other) => compareByFqn(assets[one] as NetworkAsset, assets[other] as NetworkAsset) || one - other,
  );
  const places = new Int32Array(assets.length);
  for (const [place, node] of order.entries()) places[node] = place;
  return { order, places };
};

const listEdges = ({ network }: LineageView): readonly ListedEdge[] => {
  const { downstream, sources } = network;
  const { order, places } = orderByName(network);
  const edges: ListedEdge[] = [];
  for (const from of order) {
    const own: ListedEdge[] = [];
    for (let at = downstream.starts[from] ?? 0; at < (downstream.starts[from + 1] ?? 0); at += 1) {
      const state = agreementOf(sources[at] ?? 0);
      if (state !== undefined) own.push({ from, to: downstream.ends[at] ?? 0, state });
    }
    own.sort((one, other) => (places[one.to] ?? 0) - (places[other.to] ?? 0));
    for (const edge of own) edges.push(edge);
  }
  return edges;
};

const listOnce = memoisePerView(listEdges);

export type EdgePair = { readonly from: NetworkAsset; readonly to: NetworkAsset };

export type AgreementSurvey = {
  /** The edges of the wanted states, in the order of the names of their ends. */
  readonly edges: readonly ListedEdge[];
  readonly endsOf: (edge: ListedEdge) => EdgePair;
  /** How many edges in the scope have each state, whether wanted or not. */
  readonly summary: Readonly<Record<AgreementState, number>>;
};

/** Finds the edges with at least one end in a scope. */
export const surveyAgreement = async (
  view: LineageView,
  scope: Scope,
  states: ReadonlySet<AgreementState>,
): Promise<AgreementSurvey> => {
  const { assets } = view.network;
  const inScope = assets.map(({ fullyQualifiedName }) => isInScope(scope, fullyQualifiedName));
  const summary = { agreed: 0, declaredOnly: 0, observedOnly: 0 };
  const edges: ListedEdge[] = [];
  for (const edge of await listOnce(view)) {
    if (!inScope[edge.from] && !inScope[edge.to]) continue;
    summary[edge.state] += 1;
    if (states.has(edge.state)) edges.push(edge);
  }
  const assetAt = (node: number): NetworkAsset => assets[node] as NetworkAsset;
  return { edges, endsOf: ({ from, to }) => ({ from: assetAt(from), to: assetAt(to) }), summary };
};
