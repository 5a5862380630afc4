import { type ReactNode, useMemo } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { kindOf } from '../api/kinds.ts';
import type { LineageEdge, LineageNode } from '../api/types.ts';
import type { Drawing } from './flow.ts';
import { CUT_WORDS, type Direction, type ShownGraph } from './graph-model.ts';
import { type Bundle, type Group, listFurther } from './groups.ts';
import { useLineageActions } from './lineage-actions.ts';
import { count } from './names.ts';
import { PickList } from './pick-list.tsx';
import type { Listed } from './use-lineage-actions.ts';

/** What a group or a bundle of edges stands for, one by one. */

const nameOf = (node: LineageNode | undefined): string => node?.displayName || node?.name || 'one that you may not see';

const fullNameOf = (node: LineageNode): string => `${node.displayName ?? ''} ${node.fullyQualifiedName ?? ''}`;

const idOf = ({ id }: LineageNode): string => id;

type MembersProps = {
  readonly graph: ShownGraph;
  readonly group: Group;
  readonly onClose: () => void;
};

type MemberProps = { readonly node: LineageNode; readonly children: ReactNode };

const Member = ({ node, children }: MemberProps) =>
  node.hidden ? (
    <span className="pick-name quiet">{kindOf(node.type)?.one ?? node.type} that you may not see</span>
  ) : (
    <>
      <span className="pick-name">
        <Link href={assetAddress(node.type, node.fullyQualifiedName ?? '')}>{nameOf(node)}</Link>
        <span className="quiet">{node.fullyQualifiedName}</span>
      </span>
      {children}
    </>
  );

const MembersPanel = ({ group, onClose }: MembersProps) => {
  const { onShow } = useLineageActions();
  return (
    <PickList
      title={group.name}
      find="Find an asset of the group"
      items={group.members}
      textOf={fullNameOf}
      keyOf={idOf}
      show={(node) => (
        <Member node={node}>
          <button type="button" className="button" aria-label={`Show ${nameOf(node)}`} onClick={() => onShow(node.id)}>
            Show
          </button>
        </Member>
      )}
      onClose={onClose}
    />
  );
};

/** From so many members one goes on at once: each is a question to the API and a part of the address. */
const MOST_AT_ONCE = 20;

type FurtherProps = MembersProps & { readonly direction: Direction };

/** The members with neighbours that are not shown, from which one goes on. */
const FurtherPanel = ({ graph, group, direction, onClose }: FurtherProps) => {
  const { onFurther } = useLineageActions();
  const members = useMemo(
    () => listFurther(group.members, graph.hidden, direction),
    [group.members, graph.hidden, direction],
  );
  if (members.length === 0) return null;
  return (
    <PickList
      title={`More ${direction} of ${group.name}`}
      find="Find an asset of the group"
      items={members}
      textOf={fullNameOf}
      keyOf={idOf}
      show={(node) => {
        const number = (graph.hidden.get(node.id)?.[direction] ?? 0).toLocaleString();
        return (
          <Member node={node}>
            {graph.cutAt.has(node.id) && <span className="chip warn">{CUT_WORDS}</span>}
            <button
              type="button"
              className="button"
              aria-label={`Show ${number} more ${direction} of ${nameOf(node)}`}
              onClick={() => onFurther(direction, [node.id])}
            >
              +{number}
            </button>
          </Member>
        );
      }}
      onClose={onClose}
    >
      <p className="quiet">Their neighbours that are not shown. What several of them have counts for each.</p>
      {members.length > 1 && members.length <= MOST_AT_ONCE && (
        <p>
          <button
            type="button"
            className="button"
            onClick={() =>
              onFurther(
                direction,
                members.map(({ id }) => id),
              )
            }
          >
            Go on from all {members.length}
          </button>
        </p>
      )}
    </PickList>
  );
};

type Row = readonly [key: string, edge: LineageEdge];

const keyOfRow = ([key]: Row): string => key;

type BundleProps = {
  readonly graph: ShownGraph;
  readonly bundle: Bundle;
  readonly onEdge: (key: string) => void;
  readonly onClose: () => void;
};

const BundlePanel = ({ graph, bundle, onEdge, onClose }: BundleProps) => {
  const endsOf = ([, { fromEntity, toEntity }]: Row) => [graph.nodes.get(fromEntity), graph.nodes.get(toEntity)];
  return (
    <PickList
      title={count(bundle.edges.length, 'edge')}
      find="Find an edge"
      items={bundle.edges}
      textOf={(row) =>
        endsOf(row)
          .map((node) => (node ? fullNameOf(node) : ''))
          .join(' ')
      }
      keyOf={keyOfRow}
      show={(row) => (
        <>
          <span className="pick-name">
            <span>{nameOf(endsOf(row)[0])}</span>
            <span className="quiet">→ {nameOf(endsOf(row)[1])}</span>
          </span>
          <button type="button" className="button" onClick={() => onEdge(row[0])}>
            Details
          </button>
        </>
      )}
      onClose={onClose}
    />
  );
};

type PanelsProps = {
  readonly drawing: Drawing;
  readonly listed: Listed | undefined;
  readonly onEdge: (key: string) => void;
  readonly onClose: () => void;
};

export const GroupPanels = ({ drawing: { graph, grouped }, listed, onEdge, onClose }: PanelsProps) => {
  const group = listed?.what === 'group' ? grouped.groups.get(listed.id) : undefined;
  const members = group && { graph, group, onClose };
  if (members && listed?.what === 'group' && listed.further)
    return <FurtherPanel key={`${listed.id} ${listed.further}`} direction={listed.further} {...members} />;
  if (members) return <MembersPanel key={members.group.path} {...members} />;
  const bundle = listed?.what === 'bundle' ? grouped.bundles.get(listed.id) : undefined;
  if (!bundle) return null;
  return (
    <BundlePanel
      graph={graph}
      bundle={bundle}
      onEdge={(key) => {
        onClose();
        onEdge(key);
      }}
      onClose={onClose}
    />
  );
};
