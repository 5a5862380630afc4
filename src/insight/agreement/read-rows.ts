import type { Engine } from '../../catalog/engine.ts';
import type { Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { AgreementState } from '../../model/schemas/insight/agreement.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import type { CsvColumns } from '../insight-parameters.ts';
import { type Agreement, uniteStatements } from './agreement.ts';
import type { EdgePair } from './list-edges.ts';
import { listEdgeAssertions } from './queries.ts';

/** Reads what is stated of the edges of a page, and renders it. */

export type AgreementRow = Agreement & { readonly from: JsonObject; readonly to: JsonObject };

type Identified = { readonly id: string };

/** Identifies an edge by its ends. */
export const edgeEndsKey = ({ from, to }: { readonly from: Identified; readonly to: Identified }): string =>
  `${from.id} ${to.id}`;

/**
 * Reads edges as they are now. The graph in memory may be some seconds older, so edges that ended or changed their state
 * meanwhile are left out.
 */
export const readAgreementRows = async (
  engine: Engine,
  call: Call,
  pairs: readonly EdgePair[],
  states: ReadonlySet<AgreementState>,
): Promise<readonly AgreementRow[]> => {
  const [stated, refs] = await Promise.all([
    engine.graph.read(listEdgeAssertions, { pairs: pairs.map(({ from, to }) => [from.id, to.id] as const) }),
    readAssetRefs(
      engine,
      call,
      pairs.flatMap(({ from, to }) => [from.id, to.id]),
    ),
  ]);
  const now = engine.clock();
  const known = new Map<string, Agreement | undefined>(
    stated.map(({ from, to, assertions }) => [`${from} ${to}`, uniteStatements(assertions, now)] as const),
  );
  return pairs.flatMap((pair) => {
    const [agreement, from, to] = [known.get(edgeEndsKey(pair)), refs.get(pair.from.id), refs.get(pair.to.id)];
    return agreement && from && to && states.has(agreement.state) ? [{ from, to, ...agreement }] : [];
  });
};

export const AGREEMENT_CELLS: CsvColumns<AgreementRow> = {
  fromType: ({ from }) => String(from['type']),
  from: ({ from }) => String(from['fullyQualifiedName']),
  toType: ({ to }) => String(to['type']),
  to: ({ to }) => String(to['fullyQualifiedName']),
  state: ({ state }) => state,
  declared: ({ declared }) => declared.join(' '),
  observed: ({ observed }) => observed.join(' '),
  firstSeen: ({ firstSeen }) => firstSeen,
  lastSeen: ({ lastSeen }) => lastSeen,
  confidence: ({ confidence }) => confidence,
};
