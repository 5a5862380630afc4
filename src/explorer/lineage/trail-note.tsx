import { type LineageChoice, toggleColumn } from './choice.ts';
import type { ShownGraph } from './graph-model.ts';
import { columnName, count, recordName } from './names.ts';
import type { LitTrail } from './use-trail.ts';

/** Says what of a lit column's trail is shown, and from where it goes on where one answer does not hold all of it. */

type NoteProps = {
  readonly graph: ShownGraph;
  readonly trail: LitTrail;
  readonly choice: LineageChoice;
  readonly change: (part: Partial<LineageChoice>) => void;
};

/** The nearest assets from which a trail goes on; lighting a column of one shows what is around that one. */
const WAYS_ON = 3;

const Further = ({ graph, trail: { found }, choice, change }: NoteProps) => {
  const { cutColumns = 0, cutAssets = 0 } = found?.trail ?? {};
  const byId = new Map(found?.nodes.map((node) => [node.id, node]));
  const ends = (found?.frontier ?? []).flatMap((id) => {
    const column = byId.get(id)?.columns?.[0]?.fullyQualifiedName;
    return column === undefined ? [] : [{ id, column }];
  });
  return (
    <>
      {' '}
      {cutColumns > 0 &&
        `At least ${count(cutColumns, 'more column', 'more columns')} in ${count(cutAssets, 'asset')} `}
      {cutColumns > 0 ? 'are too far away for one answer.' : 'There is more than one answer holds.'}
      {ends.slice(0, WAYS_ON).map(({ id, column }) => (
        <button
          key={id}
          type="button"
          className="button small"
          onClick={() => change(toggleColumn(choice, column, id))}
        >
          Go on from {recordName(graph.nodes.get(id) ?? { id })}
        </button>
      ))}
    </>
  );
};

export const TrailNote = (props: NoteProps) => {
  const { graph, trail, choice } = props;
  const { found, leadsNowhere } = trail;
  if (choice.column === undefined) return null;
  const name = columnName(choice.column, undefined);
  if (leadsNowhere && !found) return <>There is no column {choice.column}, or you may not see it.</>;
  if (leadsNowhere) return <>No column is known that {name} is made from, or that is made from it.</>;
  if (!found?.trail) return null;
  const { columns, assets } = found.trail;
  const isCut = found.frontier.length > 0 || found.truncated;
  return (
    <>
      The trail of <strong>{name}</strong>: {count(columns, 'column')} in {count(assets, 'asset')}.
      {isCut && <Further {...props} graph={graph} />}
    </>
  );
};
