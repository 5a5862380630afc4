import * as v from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import { EVIDENCE_KINDS } from '../model/schemas/insight/root-cause.ts';
import type { AnswerList } from './answer-budget.ts';
import { checkScope, findAsset, refsOf, rowsOf, shortRef } from './assets.ts';
import { MAX_ROWS } from './list-page.ts';
import {
  answerArguments,
  assetFacts,
  assetType,
  countArgument,
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

const noteSearch = (truncated: boolean, found: number): JsonObject => {
  if (truncated)
    return { truncated, note: 'Not everything was looked at or listed: name a column, or a shorter window.' };
  return found > 0 ? { truncated } : { truncated, note: NOTHING_FAILS };
};

const rootCause = defineTool({
  name: 'root_cause',
  title: 'Find the root cause',
  description:
    'Says why a number or other data may be wrong: the tests and contracts that fail at an asset, upstream of it, and downstream of what lies upstream; and the suspects upstream of them with the failed or missing runs, changes and failed contracts before, the most likely first, each with the way to the asset. Name a column to ask of a number that looks wrong although nothing fails. It does not look at data, and a suspect is no proof.',
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
    const more = 'ask for a shorter window';
    return {
      facts: {
        type: asset.type,
        fqn: asset.fqn,
        ...noteSearch(found['truncated'] === true, failures.length + suspects.length),
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
    limit: countArgument('Maximum number of rows of each list', 1, MAX_ROWS, 100),
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
  run: async (context, { scope, limit }) => {
    if (scope !== undefined) await checkScope(context, scope);
    const found = await context.api.readJson({ path: 'lineage/health', query: { scope, limit } });
    const truncated = (found['truncated'] ?? []) as readonly string[];
    const narrower = 'ask for a smaller scope';
    const rest = { more: limit < MAX_ROWS ? `raise limit, or ${narrower}` : narrower };
    const listOf = (name: string, rows: readonly Json[]): AnswerList => ({
      name,
      rows,
      more: narrower,
      ...(truncated.includes(name) ? { rest } : {}),
    });
    const cycles = (found['cycles'] ?? []) as readonly (readonly JsonObject[])[];
    return {
      facts: { scope: scope ?? 'the whole catalog', truncated },
      lists: [
        listOf(
          'cycles',
          cycles.map((cycle) => cycle.map(shortRef)),
        ),
        listOf('orphans', refsOf(found['orphans'])),
        listOf(
          'danglingColumns',
          rowsOf(found['danglingColumns']).map(({ entity, column = '' }) => ({ entity: shortRef(entity), column })),
        ),
        listOf(
          'unconfirmedEdges',
          rowsOf(found['unconfirmedEdges']).map(({ fromEntity, toEntity }) => ({
            from: shortRef(fromEntity),
            to: shortRef(toEntity),
          })),
        ),
        listOf(
          'unownedHubs',
          rowsOf(found['unownedHubs']).map((hub) => ({ ...hub, entity: shortRef(hub['entity']) })),
        ),
      ],
    };
  },
});

export const DIAGNOSIS_TOOLS: readonly Tool[] = [rootCause, health];
