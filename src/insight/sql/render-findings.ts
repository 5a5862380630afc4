import { renderRef, type View } from '../../catalog/read/render.ts';
import type { JsonObject } from '../../model/json.ts';
import { confidenceInSource, roundConfidence } from '../source-confidence.ts';
import type { Applied, RefusedChange } from './apply-findings.ts';
import type { FoundEdge, FoundUnclear, FoundUsage, LogFindings } from './understand-log.ts';

/** Renders what a log shows, within bounds. */

const MAX_EDGES = 10_000;
const MAX_USED = 10_000;
const MAX_UNRESOLVED = 1_000;
const MAX_REFUSALS = 1_000;

/** An edge without columns may only stand for a condition. */
const WITHOUT_COLUMNS = 0.75;
/** A statement that is unclear in one place may be misunderstood in another. */
const UNCLEAR = 0.9;

const confidenceIn = ({ source, columns, isClear, lastAt }: FoundEdge, now: number): number =>
  roundConfidence(
    confidenceInSource(source, lastAt ?? now, now) *
      (columns.length > 0 ? 1 : WITHOUT_COLUMNS) *
      (isClear ? 1 : UNCLEAR),
  );

const renderFoundEdge = (edge: FoundEdge, view: View, now: number): JsonObject => ({
  from: renderRef(edge.from.node, view),
  to: renderRef(edge.to.node, view),
  source: edge.source,
  columns: edge.columns,
  confidence: confidenceIn(edge, now),
  statements: edge.statements,
  fingerprint: edge.latest.group.fingerprint,
  ...(edge.firstAt === undefined ? {} : { firstAt: edge.firstAt }),
  ...(edge.lastAt === undefined ? {} : { lastAt: edge.lastAt }),
});

const renderUsage = ({ entity, count }: FoundUsage, view: View): JsonObject => ({
  entity: renderRef(entity.node, view),
  count,
});

const renderUnclear = ({ reason, name, count, example }: FoundUnclear): JsonObject => ({
  reason,
  ...(name === undefined ? {} : { name }),
  count,
  example,
});

const renderRefusedChange = ({ entity, status, message }: RefusedChange, view: View): JsonObject => ({
  entity: renderRef(entity.node, view),
  status,
  message,
});

/** What of the answer is cut, or undefined. */
export const cutOf = ({ edges, usage, unresolved }: LogFindings): 'edges' | 'nodes' | undefined => {
  if (edges.length > MAX_EDGES) return 'edges';
  return usage.length > MAX_USED || unresolved.length > MAX_UNRESOLVED ? 'nodes' : undefined;
};

export const renderFindings = (
  found: LogFindings,
  applied: Applied | undefined,
  view: View,
  now: number,
): JsonObject => ({
  dryRun: applied === undefined,
  statements: found.statements,
  distinct: found.distinct,
  understood: found.understood,
  edges: found.edges.slice(0, MAX_EDGES).map((edge) => renderFoundEdge(edge, view, now)),
  usage: found.usage.slice(0, MAX_USED).map((used) => renderUsage(used, view)),
  unresolved: found.unresolved.slice(0, MAX_UNRESOLVED).map(renderUnclear),
  applied: applied?.edges ?? 0,
  refused: (applied?.refused ?? []).slice(0, MAX_REFUSALS).map((refusal) => renderRefusedChange(refusal, view)),
  ...(cutOf(found) === undefined ? {} : { truncated: true }),
});
