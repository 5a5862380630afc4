import { useRemembered } from '../parts/use-remembered.ts';
import type { LineageChoice } from './choice.ts';
import { countFates } from './edge-facts.ts';
import type { Fate, ShownGraph } from './graph-model.ts';
import { GRAPH_KEYS } from './key-names.ts';
import { count } from './names.ts';
import { BY_HAND_MARK, capital, listTrustKinds, OLD_WORDS, TRUST_WORDS } from './trust.ts';
import './legend.css';

/** What lines and marks mean, and by which keys one goes through the graph: below it, so that it covers no box. */

const FATES: readonly { readonly fate: Fate; readonly name: string }[] = [
  { fate: 'came', name: 'Added' },
  { fate: 'went', name: 'Removed' },
  { fate: 'changed', name: 'Changed' },
];

const Line = ({ kind }: { readonly kind: string }) => (
  <svg className={`line ${kind}`} width="34" height="10" aria-hidden="true">
    <path d="M1 5.5h32" {...(kind === 'by-hand' ? { markerStart: `url(#${BY_HAND_MARK})` } : {})} />
  </svg>
);

type LegendProps = {
  readonly graph: ShownGraph;
  readonly choice: LineageChoice;
  readonly isHighlighted: boolean;
};

const DiffLegend = ({ graph }: Pick<LegendProps, 'graph'>) => {
  if (!graph.isCompared)
    return (
      <div className="diff-legend quiet" role="status">
        Comparing both times…
      </div>
    );
  const counts = countFates(graph);
  return (
    <div className="diff-legend" role="status">
      {FATES.map(({ fate, name }) => (
        <span key={fate} className="legend-row">
          <Line kind={fate} />
          {name}: {fate === 'changed' ? '' : `${count(counts[fate].assets, 'asset')}, `}
          {count(counts[fate].edges, 'edge')}
        </span>
      ))}
      {graph.fates.size === 0 && <span className="quiet">Nothing differs between these times.</span>}
    </div>
  );
};

/** How lines differ by who states them, as far as they do here. */
const TrustLegend = ({ graph }: Pick<LegendProps, 'graph'>) => {
  const { kinds, hasOld } = listTrustKinds(graph.trusts);
  return (
    <>
      {kinds.map((kind) => (
        <span key={kind} className="legend-row">
          <Line kind={kind} /> {capital(TRUST_WORDS[kind])}
        </span>
      ))}
      {hasOld && (
        <span className="legend-row">
          <Line kind="unconfirmed" /> {capital(OLD_WORDS)}
        </span>
      )}
    </>
  );
};

export const Legend = ({ graph, choice, isHighlighted }: LegendProps) => {
  const isBridged = [...graph.edges.values()].some(({ bridged }) => bridged);
  const [isOpen, setOpen] = useRemembered('tributary.lineage.legend', false);
  return (
    <div className="legend">
      {choice.since !== undefined && <DiffLegend graph={graph} />}
      {isBridged && (
        <span className="legend-row">
          <Line kind="bridge" /> Bridge over filtered assets
        </span>
      )}
      {isHighlighted && (
        <span className="legend-row">
          <Line kind="on-path" /> Path
        </span>
      )}
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>Legend and keys</summary>
        <div className="legend-more">
          <span className="legend-row">
            <span className="legend-flow" aria-hidden="true">
              →
            </span>{' '}
            Data flows from left to right
          </span>
          <TrustLegend graph={graph} />
          <span className="legend-row">
            <Line kind="lit" /> Trail of a column
          </span>
          <span className="legend-row">
            <span className="legend-more-mark">+3</span> Neighbours that are not shown yet
          </span>
          <dl>
            {GRAPH_KEYS.map(({ keys, what }) => (
              <div key={keys}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </div>
      </details>
    </div>
  );
};
