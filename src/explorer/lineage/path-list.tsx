import type { LineagePaths } from '../api/types.ts';
import { GrowingList } from '../parts/growing-list.tsx';
import type { LineageChoice } from './choice.ts';
import { edgeKeyOf } from './edge-key.ts';
import { columnName, count, recordName } from './names.ts';
import { between, PATH_STEPS, type PathsQuestion, stopsOf } from './paths.ts';
import { RecordLink } from './record-link.tsx';

/** The paths as a list, shortest first; the chosen one stands out in the graph. */

type Path = LineagePaths['paths'][number];

type ListProps = {
  readonly found: LineagePaths;
  readonly question: PathsQuestion;
  readonly ask: (part: Partial<PathsQuestion>) => void;
  readonly change: (part: Partial<LineageChoice>) => void;
};

const Steps = ({ path, change }: { readonly path: Path } & Pick<ListProps, 'change'>) => (
  <ol className="path-steps">
    {path.nodes.map((node, at) => {
      const edge = path.edges[at];
      const column = edge?.fromColumn ?? path.edges[at - 1]?.toColumn;
      return (
        <li key={node.id}>
          <RecordLink record={node} />
          {column && <code>{columnName(column, node.fullyQualifiedName)}</code>}
          {edge && (
            <button
              type="button"
              className="link-button"
              onClick={() => change({ edge: edgeKeyOf(edge.fromEntity ?? '', edge.toEntity ?? ''), asset: undefined })}
            >
              <span aria-hidden="true">↓ </span>how
              <span className="visually-hidden"> {recordName(node)} feeds the next</span>
            </button>
          )}
        </li>
      );
    })}
  </ol>
);

/** In one line, through what a path leads that is not chosen. */
const Stops = ({ path }: { readonly path: Path }) => {
  const stops = stopsOf(path);
  return <p className="path-stops quiet">{stops.length === 0 ? 'directly' : `via ${stops.join(', ')}`}</p>;
};

type PathProps = Omit<ListProps, 'found'> & { readonly path: Path; readonly at: number };

const PathRow = ({ path, at, question, ask, change }: PathProps) => {
  const isChosen = at === question.chosen;
  return (
    <div className={`path-row${isChosen ? ' chosen' : ''}`}>
      <div className="row">
        <button type="button" className="button small" aria-pressed={isChosen} onClick={() => ask({ chosen: at })}>
          Path {at + 1}
        </button>
        <span className="quiet">{count(path.length ?? path.edges.length, 'step')}</span>
      </div>
      {isChosen ? <Steps path={path} change={change} /> : <Stops path={path} />}
      {isChosen && between(path).length > 0 && (
        <div className="row">
          <span className="quiet">Avoid</span>
          {between(path).map((node) => (
            <button
              key={node.id}
              type="button"
              className="chip"
              onClick={() => ask({ avoid: [...question.avoid, node.id] })}
            >
              {recordName(node)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
};

export const PathList = ({ found, question, ask, change }: ListProps) => {
  const more = PATH_STEPS.find((step) => step > question.most);
  const rows = found.paths.map((path, at) => ({ path, at }));
  return (
    <section className="path-list" aria-label="The paths">
      <p role="status">
        {found.truncated
          ? `The ${found.paths.length} shortest paths; there may be more.`
          : count(found.paths.length, 'path')}
      </p>
      {question.avoid.length > 0 && (
        <p className="row">
          <span className="quiet">{count(question.avoid.length, 'asset')} avoided</span>
          <button type="button" className="link-button" onClick={() => ask({ avoid: [] })}>
            Avoid none
          </button>
        </p>
      )}
      <GrowingList
        className="affected"
        items={rows}
        keyOf={({ path }) =>
          path.nodes.map(({ id }) => id).join(' ') + path.edges.map(({ toColumn }) => toColumn).join(' ')
        }
        row={({ path, at }) => <PathRow path={path} at={at} question={question} ask={ask} change={change} />}
        step={PATH_STEPS[0]}
      />
      {found.truncated &&
        (more ? (
          <button type="button" className="button" onClick={() => ask({ most: more, chosen: question.chosen })}>
            Find up to {more}
          </button>
        ) : (
          <p className="quiet">Avoid an asset to find others.</p>
        ))}
    </section>
  );
};
