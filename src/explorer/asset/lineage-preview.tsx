import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { assetAddress, lineageAddress } from '../addresses.ts';
import type { Asset } from '../api/asset.ts';
import { nameAt } from '../api/members.ts';
import type { LineageNode } from '../api/types.ts';
import { askGraph } from '../lineage/ask-graph.ts';
import { KindName } from '../parts/kind-name.tsx';
import { TestOutcome } from '../parts/outcome-chip.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';

/** The direct neighbours of a record, as a small part of its lineage. */

const MOST_NEIGHBOURS = 60;
const SHOWN = 6;

const Neighbour = ({ node }: { readonly node: LineageNode }) => (
  <li>
    {node.hidden ? (
      <span className="quiet">One that you may not see</span>
    ) : (
      <Link href={assetAddress(node.type, node.fullyQualifiedName ?? '')} title={node.fullyQualifiedName}>
        {nameAt(node)}
      </Link>
    )}
    <span className="row">
      {node.testStatus === 'Failed' && <TestOutcome status="Failed" />}
      <KindName type={node.type} />
    </span>
  </li>
);

type SideProps = { readonly title: string; readonly nodes: readonly LineageNode[]; readonly isCut: boolean };

const Side = ({ title, nodes, isCut }: SideProps) => {
  const rest = nodes.length - SHOWN;
  return (
    <div>
      <h3>
        {title}{' '}
        <span className="quiet">
          {isCut ? 'at least ' : ''}
          {nodes.length}
        </span>
      </h3>
      {nodes.length === 0 && <Nothing>Nothing.</Nothing>}
      <ul className="rows">
        {nodes.slice(0, SHOWN).map((node) => (
          <Neighbour key={node.id} node={node} />
        ))}
      </ul>
      {rest > 0 && <p className="quiet">and {rest} more</p>}
    </div>
  );
};

export const LineagePreview = ({ type, asset }: { readonly type: string; readonly asset: Asset }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['neighbours', asset.id],
    queryFn: ({ signal }) =>
      askGraph(
        { type, fqn: asset.fullyQualifiedName, upstreamDepth: 1, downstreamDepth: 1, maxNodes: MOST_NEIGHBOURS },
        { signal },
      ),
  });
  const nodes = data?.nodes ?? [];
  const upstream = nodes.filter(({ depth }) => depth !== undefined && depth < 0);
  const downstream = nodes.filter(({ depth }) => depth !== undefined && depth > 0);
  const isCut = data?.truncated === true;
  return (
    <section className="card stack" aria-label="Neighbours">
      <div className="row">
        <h2>Where it comes from and goes to</h2>
        <Link className="card-link" href={lineageAddress(type, asset.fullyQualifiedName)}>
          Whole graph
        </Link>
      </div>
      {error && <Failure failure={error} again={refetch} />}
      {!data && !error && <Waiting what="the neighbours" />}
      {data && nodes.length <= 1 && <Nothing>Nothing is known to feed it or to be fed by it.</Nothing>}
      {data && nodes.length > 1 && (
        <div className="neighbours">
          <Side title="Upstream" nodes={upstream} isCut={isCut && upstream.length > 0} />
          <Side title="Downstream" nodes={downstream} isCut={isCut && downstream.length > 0} />
        </div>
      )}
    </section>
  );
};
