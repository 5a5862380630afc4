import type { Engine } from '../../catalog/engine.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { renderRef } from '../../catalog/read/render.ts';
import type { Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import { renderChanges } from '../changes/render-changes.ts';
import { readAssetRefs } from '../graph/insight-assets.ts';
import type { RootCause } from './find-root-cause.ts';
import { type Evidence, type Suspect, suspectedColumn } from './rank-suspects.ts';
import type { WrongSubject } from './request.ts';

/** Renders what is suspected for the API. */

const MAX_SUSPECTS = 100;
const MAX_EVIDENCE = 10;

/** Finds the events of the changes among some evidence, as far as they are kept. */
const findEventIds = async (
  engine: Engine,
  call: Call,
  evidence: readonly Evidence[],
): Promise<ReadonlyMap<Evidence, string>> => {
  const ofChanges = evidence.flatMap((one) => (one.change ? [{ one, change: one.change }] : []));
  const rows = await renderChanges(
    engine,
    call,
    ofChanges.map(({ change }) => change),
  );
  return new Map(
    ofChanges.flatMap(({ one }, at) => {
      const id = rows[at]?.['eventId'];
      return typeof id === 'string' ? [[one, id] as const] : [];
    }),
  );
};

type Rendering = {
  readonly refs: ReadonlyMap<string, JsonObject>;
  readonly events: ReadonlyMap<Evidence, string>;
  /** How many failures there are. */
  readonly failures: number;
};

const renderEvidence = (one: Evidence, eventId: string | undefined): JsonObject => ({
  at: one.at,
  kind: one.kind,
  text: one.text,
  ...(eventId === undefined ? {} : { eventId }),
});

const renderSuspect = (suspect: Suspect, { refs, events, failures }: Rendering): JsonObject[] => {
  const trail = suspect.trail.flatMap((id): JsonObject[] => {
    const ref = refs.get(id);
    return ref ? [ref] : [];
  });
  const entity = trail[0];
  // What is gone since the graph was read is not named.
  if (entity === undefined || trail.length < suspect.trail.length) return [];
  const column = suspectedColumn(suspect);
  return [
    {
      entity,
      ...(column ? { column: { fullyQualifiedName: column.fullyQualifiedName, name: column.name, entity } } : {}),
      score: suspect.score,
      depth: suspect.depth,
      // The doubt of whoever asks comes after all failures and is none.
      covers: [...suspect.covers].filter((position) => position < failures).length,
      trail: trail.map((ref) => String(ref['fullyQualifiedName'])),
      evidence: suspect.evidence.map((one) => renderEvidence(one, events.get(one))),
    },
  ];
};

const limitSuspects = (suspects: readonly Suspect[]): { shown: readonly Suspect[]; cuts: readonly string[] } => {
  const first = suspects.slice(0, MAX_SUSPECTS);
  return {
    shown: first.map((suspect) => ({ ...suspect, evidence: suspect.evidence.slice(0, MAX_EVIDENCE) })),
    cuts: [
      ...(first.length < suspects.length ? ['suspects'] : []),
      ...(first.some(({ evidence }) => evidence.length > MAX_EVIDENCE) ? ['evidence'] : []),
    ],
  };
};

export type RenderedRootCause = { readonly json: JsonObject; readonly cuts: readonly string[] };

export const renderRootCause = async (
  engine: Engine,
  call: Call,
  { named }: WrongSubject,
  { failures, suspects, cuts: bounds }: RootCause,
): Promise<RenderedRootCause> => {
  const view = createView(engine, call, NO_FIELDS);
  const { shown, cuts: lists } = limitSuspects(suspects);
  const assetIds = [...failures.map(({ assetId }) => assetId), ...shown.flatMap(({ trail }) => trail)];
  const [refs, events] = await Promise.all([
    readAssetRefs(engine, call, assetIds),
    findEventIds(
      engine,
      call,
      shown.flatMap(({ evidence }) => evidence),
    ),
  ]);
  const listed = failures.flatMap(({ node, assetId, kind, since }): JsonObject[] => {
    const entity = refs.get(assetId);
    return entity ? [{ entity, kind, name: node.name, since }] : [];
  });
  const cuts = [...bounds, ...lists];
  const rendering = { refs, events, failures: failures.length };
  return {
    cuts,
    json: {
      subject: renderRef(named.node, view),
      failures: listed,
      suspects: shown.flatMap((suspect) => renderSuspect(suspect, rendering)),
      truncated: cuts.length > 0,
    },
  };
};
