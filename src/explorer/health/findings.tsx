import { Link } from 'wouter';
import { lineageAddress } from '../addresses.ts';
import type { Schemas } from '../api/types.ts';
import { AssetLink, AssetRow, nameOfReference } from '../parts/asset-links.tsx';
import { formatDay } from '../parts/times.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';

/** The findings about the lineage, one list for each sort of them. */

type Health = Schemas['LineageHealth'];

const ROW_HEIGHT = 56;

const keyOfEdge = ({ fromEntity, toEntity }: Health['unconfirmedEdges'][number]): string =>
  `${fromEntity.id} ${toEntity.id}`;

export const Cycles = ({ cycles }: { readonly cycles: Health['cycles'] }) => (
  <VirtualRows
    label="List of cycles"
    count={cycles.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => cycles[index]?.map(({ id }) => id).join(' ') ?? index}
    row={(index) => {
      const cycle = cycles[index] ?? [];
      const first = cycle[0];
      return (
        <div className="cycle">
          <ol className="cycle-chain">
            {cycle.map((asset) => (
              <li key={asset.id}>
                <AssetLink asset={asset} />
              </li>
            ))}
            {first && <li className="quiet">{nameOfReference(first)} again</li>}
          </ol>
          {first?.fullyQualifiedName && (
            <Link
              href={lineageAddress(first.type ?? '', first.fullyQualifiedName)}
              aria-label={`Lineage of ${nameOfReference(first)}`}
            >
              Lineage
            </Link>
          )}
        </div>
      );
    }}
  />
);

export const Orphans = ({ orphans }: { readonly orphans: Health['orphans'] }) => (
  <VirtualRows
    label="List of assets without lineage"
    count={orphans.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => orphans[index]?.id ?? index}
    row={(index) => {
      const asset = orphans[index];
      return asset && <AssetRow asset={asset} />;
    }}
  />
);

export const DanglingColumns = ({ columns }: { readonly columns: Health['danglingColumns'] }) => (
  <VirtualRows
    label="List of columns that are gone"
    count={columns.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => `${columns[index]?.column} ${columns[index]?.edge.fromEntity} ${columns[index]?.edge.toEntity}`}
    row={(index) => {
      const dangling = columns[index];
      return (
        dangling && (
          <AssetRow asset={dangling.entity}>
            <code className="dangling">{dangling.column}</code>
          </AssetRow>
        )
      );
    }}
  />
);

export const UnconfirmedEdges = ({ edges }: { readonly edges: Health['unconfirmedEdges'] }) => (
  <VirtualRows
    label="List of edges that were not confirmed"
    count={edges.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => {
      const edge = edges[index];
      return edge ? keyOfEdge(edge) : index;
    }}
    row={(index) => {
      const edge = edges[index];
      return (
        edge && (
          <AssetRow asset={edge.toEntity}>
            <span className="edge-from">
              <span className="quiet">from</span> <AssetLink asset={edge.fromEntity} />
            </span>
            <span className="quiet">{edge.seenAt === undefined ? '' : `confirmed ${formatDay(edge.seenAt)}`}</span>
          </AssetRow>
        )
      );
    }}
  />
);

export const UnownedHubs = ({ hubs }: { readonly hubs: Health['unownedHubs'] }) => (
  <VirtualRows
    label="List of hubs without an owner"
    count={hubs.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => hubs[index]?.entity.id ?? index}
    row={(index) => {
      const hub = hubs[index];
      return (
        hub && (
          <AssetRow asset={hub.entity}>
            <span className="quiet">
              {hub.upstream.toLocaleString()} above, {hub.downstream.toLocaleString()} below
            </span>
          </AssetRow>
        )
      );
    }}
  />
);
