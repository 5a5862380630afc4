import { Link } from 'wouter';
import { assetAddress, lineageAddress, pathsAddress } from '../addresses.ts';
import type { LineageNode } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import { KindName } from '../parts/kind-name.tsx';
import { RefLinks } from '../parts/refs.tsx';
import { AssetDescription, AssetFacts } from './asset-facts.tsx';
import { AssetStates } from './asset-states.tsx';
import type { LineageChoice } from './choice.ts';
import { hasColumns } from './columns.ts';
import { edgeSummary, edgeTitle } from './edge-facts.ts';
import { edgeKeyOf } from './edge-key.ts';
import { CUT_WORDS, type Direction, FATE_NAMES, type ShownGraph } from './graph-model.ts';
import { goOn, writeStep } from './graph-query.ts';
import { count, recordName } from './names.ts';
import { Panel } from './panel.tsx';
import './neighbours.css';
import { StateChips } from './state-chips.tsx';

/** One record of the graph: who owns it, in which state it is, and what it is joined to. */

type Change = (part: Partial<LineageChoice>) => void;

type NeighboursProps = {
  readonly graph: ShownGraph;
  readonly id: string;
  readonly direction: Direction;
  readonly choice: LineageChoice;
  readonly change: Change;
};

const TITLES: Readonly<Record<Direction, string>> = { upstream: 'Made from', downstream: 'Feeds' };

/** The neighbours in one direction, with how they are known, and those that are not shown yet. */
export const Neighbours = ({ graph, id, direction, choice, change }: NeighboursProps) => {
  const isUp = direction === 'upstream';
  const edges = [...graph.edges.values()].filter((edge) => (isUp ? edge.toEntity : edge.fromEntity) === id);
  const hidden = graph.hidden.get(id)?.[direction] ?? 0;
  const filtered = graph.filtered.get(id)?.[direction] ?? 0;
  const step = writeStep(direction, id);
  if (edges.length + hidden + filtered === 0) return null;
  return (
    <section className="neighbours">
      <h3>{TITLES[direction]}</h3>
      <GrowingList
        className="neighbour-list"
        items={edges}
        keyOf={({ fromEntity, toEntity }) => edgeKeyOf(fromEntity, toEntity)}
        row={(edge) => {
          const other = isUp ? edge.fromEntity : edge.toEntity;
          const key = edgeKeyOf(edge.fromEntity, edge.toEntity);
          const fate = graph.fates.get(key);
          return (
            <span className="neighbour">
              <button type="button" className="link-button" onClick={() => change({ asset: other, edge: undefined })}>
                {recordName(graph.nodes.get(other) ?? { id: other })}
              </button>
              <button
                type="button"
                className="button small"
                onClick={() => change({ edge: key, asset: undefined })}
                aria-label={`How ${edgeTitle(graph, edge)}`}
              >
                How
              </button>
              <span className="quiet neighbour-facts">
                {fate && `${FATE_NAMES[fate]} · `}
                {edgeSummary(edge, graph.trusts.get(key))}
              </span>
            </span>
          );
        }}
      />
      {filtered > 0 && <p className="quiet">The filters leave out {count(filtered, 'more', 'more')}.</p>}
      {hidden > 0 && !choice.more.includes(step) && (
        <button type="button" className="button small" onClick={() => change(goOn(choice, direction, id, hidden))}>
          Show {count(hidden, 'more', 'more')} {direction}
          {graph.cutAt.has(id) && `, ${CUT_WORDS}`}
        </button>
      )}
    </section>
  );
};

type LinksProps = { readonly node: LineageNode; readonly choice: LineageChoice; readonly change: Change };

const Links = ({ node: { id, type, fullyQualifiedName: fqn = '' }, choice: { open }, change }: LinksProps) => (
  <p className="row">
    {hasColumns(type) && (
      <button
        type="button"
        className="button small"
        onClick={() => change({ open: open.includes(id) ? open.filter((other) => other !== id) : [...open, id] })}
      >
        {open.includes(id) ? 'Hide columns' : 'Show columns'}
      </button>
    )}
    <Link className="button small" href={assetAddress(type, fqn)}>
      Page
    </Link>
    <Link className="button small" href={lineageAddress(type, fqn)}>
      Its lineage
    </Link>
    <Link className="button small" href={pathsAddress({ type, fqn })}>
      Paths from here
    </Link>
    <Link className="button small" href={`${lineageAddress(type, fqn)}?change=drop`}>
      What if it changes
    </Link>
  </p>
);

type PanelProps = {
  readonly graph: ShownGraph;
  readonly node: LineageNode;
  readonly choice: LineageChoice;
  readonly change: Change;
};

export const AssetPanel = ({ graph, node, choice, change }: PanelProps) => {
  const { type, service, owners, domains, tier } = node;
  const joined = { graph, id: node.id, choice, change };
  return (
    <Panel
      title={recordName(node)}
      onClose={() => change({ asset: undefined })}
      returnTo={`[data-id="${CSS.escape(node.id)}"]`}
    >
      <p className="row">
        <KindName type={type} />
        {tier && <span className="chip">{tier.replace('Tier.', '')}</span>}
        <StateChips record={node} />
      </p>
      {!node.hidden && <Links node={node} choice={choice} change={change} />}
      {!node.hidden && <AssetStates node={node} />}
      {node.hidden && <p className="quiet">You may not see it, only that data flows through it.</p>}
      {!node.hidden && <AssetDescription id={node.id} />}
      {!node.hidden && (
        <dl>
          <dt>Full name</dt>
          <dd>{node.fullyQualifiedName}</dd>
          <dt>Service</dt>
          <dd>
            <RefLinks refs={service && [service]} none="None" />
          </dd>
          <dt>Owners</dt>
          <dd>
            <RefLinks refs={owners} none="Nobody" />
          </dd>
          <dt>Domains</dt>
          <dd>
            <RefLinks refs={domains} none="None" />
          </dd>
          <AssetFacts id={node.id} />
        </dl>
      )}
      <Neighbours {...joined} direction="upstream" />
      <Neighbours {...joined} direction="downstream" />
    </Panel>
  );
};
