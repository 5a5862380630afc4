import { type ReactNode, type RefObject, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import { useSettings } from '../api/settings.ts';
import type { LineageChoice } from '../lineage/choice.ts';
import { FilterChips } from '../lineage/filters.tsx';
import type { ShownGraph } from '../lineage/graph-model.ts';
import { mostNodes } from '../lineage/graph-query.ts';
import { addHighlight, addTrail, type Highlight } from '../lineage/highlight.ts';
import { Legend } from '../lineage/legend.tsx';
import { LineageList } from '../lineage/lineage-list.tsx';
import { LineageTools } from '../lineage/lineage-tools.tsx';
import { LineageView } from '../lineage/lineage-view.tsx';
import { count, recordName } from '../lineage/names.ts';
import { SidePanel } from '../lineage/side-panel.tsx';
import type { DrawnGraph } from '../lineage/take-picture.ts';
import { TimeBar } from '../lineage/time-bar.tsx';
import { TrailNote } from '../lineage/trail-note.tsx';
import { useLineageChoice } from '../lineage/use-choice.ts';
import { useColumns } from '../lineage/use-columns.ts';
import { useFailing } from '../lineage/use-failing.ts';
import { highlightImpact, useImpact } from '../lineage/use-impact.ts';
import { useShownGraph } from '../lineage/use-shown-graph.ts';
import { useTrail } from '../lineage/use-trail.ts';
import { isWithheld, NoAsset } from '../parts/no-asset.tsx';
import { Failure, Waiting } from '../parts/states.tsx';

type Change = (part: Partial<LineageChoice>) => void;

/** What has to be said of the whole graph, at its top. */
const Notice = ({ children }: { readonly children: ReactNode }) => (
  <p className="notice" role="status">
    {children}
  </p>
);

const CutNote = ({ graph }: { readonly graph: ShownGraph }) => {
  const limits = useSettings()?.limits;
  return (
    <>
      These are the nearest {limits && mostNodes(limits).toLocaleString()} assets; there are more. Filter them, lower
      the depth, or go on from one of the {count(graph.cutAt.size, 'asset')} at which the lineage was cut, by its
      «✂&#xfe0e; +» button.
    </>
  );
};

type NotesProps = {
  readonly graph: ShownGraph | undefined;
  readonly isFormer: boolean;
  readonly isLost: boolean;
  readonly failure: unknown;
  readonly again: () => void;
};

const Notes = ({ graph, isFormer, isLost, failure, again }: NotesProps) => (
  <div className={graph ? 'lineage-notes' : 'lineage-unread'}>
    {failure !== undefined && <Failure failure={failure} again={again} />}
    {/* What was chosen before stays in sight until the answer to the new choice is there. */}
    {isFormer && failure === undefined && <Notice>Reading the lineage…</Notice>}
    {isLost && <Notice>Something that was unfolded here is not there any more.</Notice>}
    {graph?.isTruncated && (
      <Notice>
        <CutNote graph={graph} />
      </Notice>
    )}
  </div>
);

type GroundProps = {
  readonly about: { readonly type: string; readonly fqn: string };
  readonly graph: ShownGraph;
  readonly choice: LineageChoice;
  readonly change: Change;
  readonly drawn: RefObject<DrawnGraph>;
};

/** What stands out: the path of a consequence, or those of the failures upstream. */
const useHighlight = ({ graph, choice }: Pick<GroundProps, 'graph' | 'choice'>) => {
  const impact = useImpact(graph, choice);
  const failing = useFailing(graph.nodes.get(graph.rootId), choice.isFailing);
  const found = choice.isFailing && (failing.data?.records.length ?? 0) > 0 ? failing.data?.highlight : undefined;
  const highlight: Highlight | undefined = choice.change ? highlightImpact(impact.data, choice.reached) : found;
  return { impact, failing, highlight };
};

const Ground = ({ about, graph: read, choice, change, drawn }: GroundProps) => {
  const trail = useTrail(about, read, choice);
  const lit = useMemo(() => addTrail(read, trail.found), [read, trail.found]);
  const { impact, failing, highlight } = useHighlight({ graph: lit, choice });
  const graph = useMemo(() => addHighlight(lit, highlight), [lit, highlight]);
  const columns = useColumns(graph, choice, trail);
  const shown = { graph, columns, choice, change, highlight };
  return (
    <>
      <div className="lineage-canvas">
        {choice.column !== undefined && (trail.leadsNowhere || trail.found) && (
          <div className="lineage-notes">
            <p className="trail-note" role="status">
              <TrailNote graph={graph} trail={trail} choice={choice} change={change} />
            </p>
          </div>
        )}
        {choice.isList ? <LineageList {...shown} /> : <LineageView {...shown} drawn={drawn} />}
        {!choice.isList && <Legend graph={graph} choice={choice} isHighlighted={highlight !== undefined} />}
      </div>
      <SidePanel
        graph={graph}
        columns={columns.columns}
        choice={choice}
        change={change}
        impact={impact}
        failing={failing}
      />
    </>
  );
};

export const LineagePage = ({ type, fqn }: { readonly type: string; readonly fqn: string }) => {
  const { choice, change } = useLineageChoice();
  const { graph, isFormer, isLost, failure, again } = useShownGraph({ type, fqn }, choice);
  const [isTimeOpen, setTimeOpen] = useState(false);
  const drawn = useRef<DrawnGraph>({ boxes: [], edges: [], isCut: false });
  const root = graph?.nodes.get(graph.rootId);
  const isOfPast = choice.asOf !== undefined || choice.since !== undefined;
  const isTime = isTimeOpen || isOfPast;
  // Of the past it may only be that the asset was not there yet: another time is chosen on the page.
  if (!graph && !isOfPast && isWithheld(failure)) return <NoAsset failure={failure} fqn={fqn} again={again} />;
  return (
    <div className="lineage">
      <div className="lineage-head">
        <div className="lineage-tools">
          <h1>
            Lineage of <Link href={assetAddress(type, fqn)}>{root ? recordName(root) : fqn}</Link>
          </h1>
          <div className="lineage-controls">
            <LineageTools
              type={type}
              fqn={fqn}
              root={root}
              drawn={drawn}
              choice={choice}
              change={change}
              isTime={isTime}
              onTime={(next) => {
                setTimeOpen(next);
                if (!next) change({ asOf: undefined, since: undefined });
              }}
            />
          </div>
          <FilterChips choice={choice} change={change} />
        </div>
        {isTime && (
          <TimeBar
            type={type}
            fqn={fqn}
            root={root}
            choice={choice}
            change={change}
            onClose={() => setTimeOpen(false)}
          />
        )}
      </div>
      <div className="lineage-ground">
        <Notes {...{ graph, isFormer, isLost, failure, again }} />
        {!graph && failure === undefined && <Waiting what="the lineage" />}
        {graph && <Ground about={{ type, fqn }} graph={graph} choice={choice} change={change} drawn={drawn} />}
      </div>
    </div>
  );
};
