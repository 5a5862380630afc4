import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import { EVIDENCE_KINDS } from '../model/schemas/insight/root-cause.ts';
import { findAsset, refsOf, rowsOf, shortRef } from './assets.ts';
import {
  answerArguments,
  assetFacts,
  assetType,
  defineTool,
  nameArgument,
  refSchema,
  type Tool,
  textArgument,
} from './tool.ts';

/** Tools that look for what is wrong: upstream of an asset, and in the lineage of a scope. */

const showTime = (at: Json | undefined): string => new Date(Number(at)).toISOString();

const assetRef = { type: v.string(), fqn: v.string() } as const;

const failureRow = v.strictObject({ ...assetRef, kind: v.string(), name: v.string(), since: v.string() });

const suspectRow = v.strictObject({
  ...assetRef,
  column: v.optional(v.string()),
  score: v.number(),
  depth: v.number(),
  covers: v.number(),
  trail: v.array(v.string()),
  evidence: v.array(v.strictObject({ at: v.string(), kind: v.picklist(EVIDENCE_KINDS), text: v.string() })),
});

const toSuspectRow = (suspect: JsonObject): JsonObject => {
  const column = suspect['column'] as JsonObject | undefined;
  return {
    ...(shortRef(suspect['entity']) as JsonObject),
    ...(column === undefined ? {} : { column: column['name'] ?? '' }),
    score: suspect['score'] ?? 0,
    depth: suspect['depth'] ?? 0,
    covers: suspect['covers'] ?? 0,
    trail: suspect['trail'] ?? [],
    evidence: rowsOf(suspect['evidence']).map(({ at, kind = '', text = '' }) => ({ at: showTime(at), kind, text })),
  };
};

const NOTHING_FAILS =
  'Nothing fails around it. Name the column that looks wrong to ask nevertheless. get_asset names the dashboards of a chart, which have its lineage.';

const rootCause = defineTool({
  name: 'root_cause',
  title: 'Find the root cause',
  description:
    'Says why data may be wrong: the tests and contracts that fail at an asset, upstream of it, and downstream of what lies upstream; and the suspects upstream of them with the failed or missing runs, changes and failed contracts before, the most likely first, each with the way to the asset. Name a column to ask of a number that looks wrong although nothing fails. It does not look at data, and a suspect is no proof.',
  schema: v.strictObject({
    fqn: nameArgument('Fully qualified name of the asset, test case or data contract'),
    type: assetType,
    column: v.optional(nameArgument('Name of a column of the asset: only what leads to it counts')),
    window: v.optional(textArgument('How long before the first failure to look, such as 12h or 14d (default)', 10)),
    ...answerArguments,
  }),
  answers: {
    facts: { ...assetFacts, truncated: v.boolean(), note: v.optional(v.string()) },
    lists: { suspects: suspectRow, failures: failureRow },
  },
  run: async (context, { fqn, type, column, window }) => {
    const asset = await findAsset(context, fqn, type);
    const query = {
      id: asset.id,
      ...(column === undefined ? {} : { column }),
      ...(window === undefined ? {} : { window }),
    };
    const found = await context.api.readJson({ path: 'lineage/root-cause', query });
    const failures = rowsOf(found['failures']).map(({ entity, kind = '', name = '', since }) => ({
      ...(shortRef(entity) as JsonObject),
      kind,
      name,
      since: showTime(since),
    }));
    const suspects = rowsOf(found['suspects']).map(toSuspectRow);
    const isQuiet = failures.length + suspects.length === 0;
    const more = 'ask for a shorter window';
    return {
      facts: {
        type: asset.type,
        fqn: asset.fqn,
        truncated: found['truncated'] ?? false,
        ...(isQuiet ? { note: NOTHING_FAILS } : {}),
      },
      lists: [
        { name: 'suspects', rows: suspects, more },
        { name: 'failures', rows: failures, more },
      ],
    };
  },
});

const health = defineTool({
  name: 'health',
  title: 'Get the health of lineage',
  description:
    'Reports problems of the lineage of a scope: cycles, assets without lineage, unknown columns, unconfirmed edges and unowned hubs.',
  schema: v.strictObject({
    scope: v.optional(nameArgument('Fully qualified name of the asset to check; the whole catalog by default')),
    ...answerArguments,
  }),
  answers: {
    facts: { scope: v.string(), truncated: v.array(v.string()) },
    lists: {
      cycles: v.array(refSchema),
      orphans: refSchema,
      danglingColumns: v.strictObject({ entity: refSchema, column: v.string() }),
      unconfirmedEdges: v.strictObject({ from: refSchema, to: refSchema }),
      unownedHubs: v.looseObject({ entity: refSchema }),
    },
  },
  run: async (context, { scope }) => {
    const found = await context.api.readJson({ path: 'lineage/health', query: { scope, limit: 100 } });
    const more = 'ask for a smaller scope';
    return {
      facts: { scope: scope ?? 'the whole catalog', truncated: found['truncated'] ?? [] },
      lists: [
        {
          name: 'cycles',
          rows: ((found['cycles'] ?? []) as readonly (readonly JsonObject[])[]).map((cycle) => cycle.map(shortRef)),
          more,
        },
        { name: 'orphans', rows: refsOf(found['orphans']), more },
        {
          name: 'danglingColumns',
          rows: rowsOf(found['danglingColumns']).map(({ entity, column }) => ({
            entity: shortRef(entity),
            column: column ?? '',
          })),
          more,
        },
        {
          name: 'unconfirmedEdges',
          rows: rowsOf(found['unconfirmedEdges']).map(({ fromEntity, toEntity }) => ({
            from: shortRef(fromEntity),
            to: shortRef(toEntity),
          })),
          more,
        },
        {
          name: 'unownedHubs',
          rows: rowsOf(found['unownedHubs']).map((hub) => ({ ...hub, entity: shortRef(hub['entity']) })),
          more,
        },
      ],
    };
  },
});

export const DIAGNOSIS_TOOLS: readonly Tool[] = [rootCause, health];
