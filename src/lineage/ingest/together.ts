import type { Principal } from '../../access/principal.ts';
import { StaleState } from '../../catalog/plan/step.ts';
import { CatalogError } from '../../errors.ts';
import { sideBySide } from '../../graph/side-by-side.ts';
import { piecesOf } from '../../model/pieces.ts';
import { assertEdges, type Edges, type Settled, type Word } from '../edges.ts';
import { type Found, type Look, lookAt, type Put, type PutOptions, refuseLoop, sayEdge } from '../put.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

/** So many edges out of one record are one write at most, and so many such writes are under way side by side. */
const MOST_TOGETHER = 100;
const AT_ONCE = 2000;

/** One of many edges, and which of them it is. */
type Row = { readonly at: number; readonly found: Found };

/** Edges out of one record, no two of them the same. */
type Bundle = readonly Row[];

/**
 * Edges that can be said side by side, bundled by the record they come from. What is said of an edge a second time
 * waits for the next round.
 */
const roundsOf = (all: readonly Found[]): Bundle[][] => {
  const times = new Map<string, number>();
  const rounds: Map<string, Row[]>[] = [];
  for (const [at, found] of all.entries()) {
    const pair = `${found.from.id} ${found.to.id}`;
    const time = times.get(pair) ?? 0;
    times.set(pair, time + 1);
    rounds[time] ??= new Map();
    const round = rounds[time];
    const rows = round.get(found.from.id) ?? [];
    round.set(found.from.id, rows);
    rows.push({ at, found });
  }
  return rounds.map((round) => [...round.values()].flatMap((rows) => piecesOf(rows, MOST_TOGETHER)));
};

const lookAtRow = (edges: Edges, { found }: Row, options: PutOptions): Promise<Outcome<Look>> =>
  outcomeOf(() => {
    refuseLoop(found.from, found.to);
    return lookAt(edges, found, options);
  });

/** Whether edges can still be said one by one after saying them together failed. */
const isOfOne = (failure: unknown): boolean =>
  failure instanceof StaleState || (failure instanceof CatalogError && failure.status < 500);

/** Says edges of a bundle in one write; undefined when one of them stands in the way of the others. */
const assertTogether = async (
  edges: Edges,
  principal: Principal,
  bundle: Bundle,
  words: readonly Word[],
): Promise<readonly Settled[] | undefined> => {
  const from = bundle[0]?.found.from;
  if (!from || words.length === 0) return [];
  try {
    return await assertEdges(edges, principal, from, words);
  } catch (failure) {
    if (!isOfOne(failure)) throw failure;
    return undefined;
  }
};

const sayEach = (edges: Edges, principal: Principal, bundle: Bundle, options: PutOptions): Promise<Outcome<Put>[]> =>
  Promise.all(bundle.map(({ found }) => outcomeOf(() => sayEdge(edges, principal, found, options))));

/** Says the edges of a bundle: those that can be said in one write, or one by one when they are changed meanwhile. */
const sayBundle = async (
  edges: Edges,
  principal: Principal,
  bundle: Bundle,
  options: PutOptions,
): Promise<Outcome<Put>[]> => {
  const looks = await Promise.all(bundle.map((row) => lookAtRow(edges, row, options)));
  const words = looks.flatMap((look, at): Word[] => {
    const to = bundle[at]?.found.to;
    return 'value' in look && to ? [{ to, sight: look.value.sight, saying: look.value.saying }] : [];
  });
  const said = await assertTogether(edges, principal, bundle, words);
  if (!said) return sayEach(edges, principal, bundle, options);
  const settled = said.values();
  return bundle.map(({ found: { from, to } }, at): Outcome<Put> => {
    const look = looks[at] as Outcome<Look>;
    if ('failure' in look) return look;
    return { value: { from, to, settled: settled.next().value as Settled, unknown: look.value.unknown } };
  });
};

/** Says what many edges are, each for itself. Of those about one pair of records the last counts. */
export const sayAll = async (
  edges: Edges,
  principal: Principal,
  all: readonly Found[],
  options: PutOptions,
): Promise<Outcome<Put>[]> => {
  const outcomes: Outcome<Put>[] = new Array(all.length);
  for (const bundles of roundsOf(all)) {
    await sideBySide(bundles, AT_ONCE, async (bundle) => {
      const said = await sayBundle(edges, principal, bundle, options);
      for (const [index, { at }] of bundle.entries()) outcomes[at] = said[index] as Outcome<Put>;
    });
  }
  return outcomes;
};
