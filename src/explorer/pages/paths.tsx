import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { ask } from '../api/ask.ts';
import type { LineageNode, LineagePaths } from '../api/types.ts';
import { askGraph } from '../lineage/ask-graph.ts';
import { BRIEF_GRAPH } from '../lineage/graph-query.ts';
import { highlightPath } from '../lineage/highlight.ts';
import { LineageView } from '../lineage/lineage-view.tsx';
import { PathList } from '../lineage/path-list.tsx';
import {
  columnEdgesOf,
  graphOfPaths,
  linkOf,
  type PathsQuestion,
  readQuestion,
  writeQuestion,
} from '../lineage/paths.ts';
import { PathsForm } from '../lineage/paths-form.tsx';
import { SidePanel } from '../lineage/side-panel.tsx';
import { useLineageChoice } from '../lineage/use-choice.ts';
import { useColumns } from '../lineage/use-columns.ts';
import { trailOfEdges } from '../lineage/use-trail.ts';
import { isWithheld } from '../parts/no-asset.tsx';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import './paths.css';

/** The paths by which data comes from one asset or column to another: drawn as a graph and listed, shortest first. */

const usePaths = ({ from, to, avoid, most }: PathsQuestion) =>
  useQuery({
    queryKey: ['paths', from, to, avoid, most],
    queryFn: ({ signal }) => {
      if (!from || !to) throw new Error('Both ends have to be chosen');
      return ask<LineagePaths>('/v1/lineage/paths', {
        query: { from: linkOf(from), to: linkOf(to), avoid: avoid.join(','), maxPaths: most },
        signal,
      });
    },
    enabled: from !== undefined && to !== undefined,
    placeholderData: keepPreviousData,
  });

/** Paths name records only; what boxes say of them is asked for beside. */
const useKnownRecords = ({ paths }: LineagePaths): readonly LineageNode[] => {
  const id = paths[0]?.nodes[0]?.id;
  const downstreamDepth = Math.max(...paths.map(({ edges }) => edges.length));
  const { data } = useQuery({
    queryKey: ['records on paths', id, downstreamDepth],
    queryFn: ({ signal }) =>
      askGraph({ id, upstreamDepth: 0, downstreamDepth, maxNodes: 2000, ...BRIEF_GRAPH }, { signal }),
    enabled: id !== undefined,
  });
  return data?.nodes ?? NONE;
};

const NONE: readonly LineageNode[] = [];

type FoundProps = {
  readonly found: LineagePaths;
  readonly question: PathsQuestion;
  readonly ask: (part: Partial<PathsQuestion>) => void;
};

const FoundPaths = ({ found, question, ask: askFor }: FoundProps) => {
  const { choice, change } = useLineageChoice();
  const known = useKnownRecords(found);
  const graph = useMemo(() => graphOfPaths(found.paths, known), [found, known]);
  const chosen = found.paths[question.chosen] ?? found.paths[0];
  const highlight = useMemo(() => {
    const nodes = (chosen?.nodes ?? []).flatMap(({ id = '' }) => graph.nodes.get(id) ?? []);
    return highlightPath(nodes);
  }, [chosen, graph]);
  // Paths of columns show the columns, which the trail of the first one lights.
  const column = choice.column ?? question.from?.column ?? chosen?.edges[0]?.fromColumn;
  const shown = useMemo(() => ({ ...choice, column }), [choice, column]);
  const trail = useMemo(() => trailOfEdges(columnEdgesOf(found.paths)), [found]);
  const columns = useColumns(graph, shown, trail);
  return (
    <div className="paths-found">
      <PathList found={found} question={question} ask={askFor} change={change} />
      <div className="lineage-ground">
        <div className="lineage-canvas">
          <LineageView graph={graph} columns={columns} choice={shown} change={change} highlight={highlight} />
        </div>
        <SidePanel graph={graph} columns={columns.columns} choice={choice} change={change} />
      </div>
    </div>
  );
};

export const PathsPage = () => {
  const [params, setParams] = useSearchParams();
  const question = useMemo(() => readQuestion(params), [params]);
  const askFor = useCallback(
    (part: Partial<PathsQuestion>) =>
      setParams((former) => writeQuestion(former, { ...readQuestion(former), chosen: 0, ...part })),
    [setParams],
  );
  const { data, error, refetch, isFetching } = usePaths(question);
  const isAsked = question.from !== undefined && question.to !== undefined;
  return (
    <div className="paths">
      <PathsForm question={question} ask={askFor} />
      {!isAsked && <Nothing>Choose both ends to see how data comes from the one to the other.</Nothing>}
      {/* Of an end that is not there, the form says so. */}
      {error && !isWithheld(error) && <Failure failure={error} again={refetch} />}
      {isAsked && !data && !error && <Waiting what="the paths" />}
      {isAsked && data?.paths.length === 0 && !isFetching && (
        <Nothing>
          No data comes from there to here{question.avoid.length > 0 ? ' without what is avoided' : ''}.
        </Nothing>
      )}
      {isAsked && data && data.paths.length > 0 && <FoundPaths found={data} question={question} ask={askFor} />}
    </div>
  );
};
